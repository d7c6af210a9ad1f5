-- FULL OUTER JOIN
select a.id, b.id as other from edge_logs as a full outer join auth_logs as b on a.id = b.id order by 1, 2
