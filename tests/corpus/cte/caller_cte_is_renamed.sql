-- A CTE of the caller cannot shadow a sub-table
with edge_logs as (select 'mine' as event_message) select * from edge_logs
