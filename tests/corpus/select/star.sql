-- A star is expanded
select * from edge_logs limit 3
