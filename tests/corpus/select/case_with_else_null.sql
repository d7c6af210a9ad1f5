-- CASE with ELSE NULL
select case when id like 'e%' then 'e' else null end as kind, count(*) as n from edge_logs group by 1 order by 1
