-- WITH ROLLUP is written ROLLUP()
select id, count(*) as n from edge_logs group by id with rollup
