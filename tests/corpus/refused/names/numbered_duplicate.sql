-- Nor can the second column of a name by a number
select s.id_1 as x from (select id, upper(id) as id from edge_logs union all select 'a', 'b') as s
