-- BETWEEN over dates
select id from edge_logs where date(timestamp) between '2026-01-01' and date '2026-12-31' order by id
