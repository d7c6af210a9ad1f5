-- A name that two columns of a sub-query have is ambiguous
select id from (select id, id || 'x' as id from edge_logs union all select 'a', 'b') as s
