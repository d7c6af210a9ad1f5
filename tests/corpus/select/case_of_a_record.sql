-- A record that is NULL by CASE has no fields, also by way of another query
select d.id, d.s.level as a, case when d.id > 'p-0005' then d.s end.level as b, if(d.s is null, null, d.s).level as c
from (select t.id, case when m.level = 'info' then m end as s from pooler_logs as t cross join unnest(t.metadata) as m) as d
order by d.id, a
