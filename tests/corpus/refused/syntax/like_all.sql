-- LIKE ALL
select id from edge_logs where id like all ('a%', '%b')
