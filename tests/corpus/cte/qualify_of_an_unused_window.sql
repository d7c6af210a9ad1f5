-- A window function that only QUALIFY asks for stays, also in an arm of a union
with w as (select id, row_number() over (order by id) as n from edge_logs qualify id > 'e-0010'), v as (select id, 1 as n from edge_logs where id < 'e-0003' union all select id, rank() over (order by id) from edge_logs qualify id < 'e-0002') select w.id from w union all select v.id from v order by 1
