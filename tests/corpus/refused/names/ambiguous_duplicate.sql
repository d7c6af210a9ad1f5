-- A name that two columns of a sub-query have is ambiguous
select id, count(*) as n from (select id, id || 'x' as id from edge_logs union all select 'a', 'b') as s group by id order by n
