-- RANK needs an order
select rank() over () as n from edge_logs
