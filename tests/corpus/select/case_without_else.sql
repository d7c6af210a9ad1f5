-- CASE without ELSE is NULL
select id, case when m.status >= 500 then 'bad' when m.status >= 400 then 'warn' end as verdict from auth_logs cross join unnest(metadata) as m order by id
