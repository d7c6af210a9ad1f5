-- GROUP BY ALL without keys is one group
select count(*) as n, max(id) as last from edge_logs group by all
