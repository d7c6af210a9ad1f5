-- A column that is neither grouped nor aggregated
select id, count(*) as n from edge_logs
