-- A column that USING has merged and another of its name
select project from (select 'p' as project) as first join (select 'p' as project) as second using (project) cross join (select 'q' as project) as third
