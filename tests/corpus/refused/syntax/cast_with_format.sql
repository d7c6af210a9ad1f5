-- CAST has no FORMAT here
select cast(timestamp as string format 'YYYY') as x from edge_logs
