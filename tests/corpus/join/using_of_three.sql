-- A column that USING has merged is merged again, and stands first
select * from (select 1 as i, 'a' as a union all select 2, 'b') as x full join (select 2 as i, 'c' as b union all select 3, 'd') as y using (i) full join (select 3 as i, 'e' as c union all select 4, 'f') as z using (i) order by i
