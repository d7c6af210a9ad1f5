-- CASE takes the common type of its branches
select id, case when m.status > 400 then 1 else 0.5 end as weight, if(m.status is null, null, m.status * 2) as twice from auth_logs cross join unnest(metadata) as m where m.status < 1000 or m.status is null order by id
