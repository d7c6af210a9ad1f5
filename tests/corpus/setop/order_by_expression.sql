-- ORDER BY an expression of a union
select id, 'a' as kind from edge_logs union all select id, 'b' from auth_logs order by upper(kind), id limit 3
