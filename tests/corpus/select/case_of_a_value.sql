-- CASE of a value never matches NULL
select id, case m.level when 'info' then 1 when null then 2 when '' then 3 else 0 end as n from auth_logs cross join unnest(metadata) as m order by id
