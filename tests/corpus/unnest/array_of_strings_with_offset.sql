-- Elements of a STRING array keep their order
select r.id, d, o from realtime_logs as r cross join unnest(r.metadata) as m cross join unnest(m.context) as c cross join unnest(c.domain) as d with offset as o order by r.id, o
