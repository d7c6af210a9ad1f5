-- A scalar sub-query without rows is NULL
select (select id from edge_logs where id = 'no such id') as a, exists(select 1 from edge_logs where id = 'no such id') as b
