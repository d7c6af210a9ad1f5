-- A column that USING has merged and another of its name
select i from (select 1 as i) as a join (select 1 as i) as b using (i) cross join (select 2 as i) as c
