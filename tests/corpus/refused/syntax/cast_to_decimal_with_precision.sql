-- Types have no precision here
select cast(id as numeric(10, 2)) as x from edge_logs
