-- A join in parentheses on the left
select a.id, c.id as other from (edge_logs as a join auth_logs as b on a.timestamp = b.timestamp) left join pooler_logs as c on c.timestamp = a.timestamp order by 1, 2
