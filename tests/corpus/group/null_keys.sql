-- NULL is a group
select m.level, m.method, count(*) as n, count(m.status) as statuses, min(m.status) as least, max(m.msg) as last from auth_logs cross join unnest(metadata) as m group by level, method order by level, method
