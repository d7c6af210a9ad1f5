-- A join in parentheses has its merged columns among its own
select * from (select 1 as p, 1 as i) as x left join ((select 2 as z, 1 as i, 4 as w) as y join (select 3 as q, 4 as w, 1 as i) as u using (w, i)) using (i)
