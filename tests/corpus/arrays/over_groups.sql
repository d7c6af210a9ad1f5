-- a sub-query over the array that a group gathered
select g.method, array(select distinct x from unnest(g.ids) as x order by x) as ids from (select r.method, array_agg(e.id) as ids from edge_logs as e cross join unnest(e.metadata) as m cross join unnest(m.request) as r group by r.method) as g order by g.method
