--! nondeterministic LIMIT without an order
-- Inside its own definition a name means the sub-table
with edge_logs as (select id from edge_logs) select * from edge_logs limit 1
