-- An aggregate that nobody reads still makes one row
select a.c, b.c as d, (select count(*) from (select max(id) as m, 1 as c from edge_logs where id = 'none') as x where x.c = 1) as n from (select count(*) as n, 'x' as c from edge_logs) as a cross join (select max(id) as m, min(id) as n, 2 as c from edge_logs group by ()) as b
