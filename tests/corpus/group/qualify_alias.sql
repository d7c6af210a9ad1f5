-- QUALIFY knows aliases
select id, timestamp, row_number() over (partition by timestamp order by id) as n from edge_logs qualify n = 1 order by 1, 2
