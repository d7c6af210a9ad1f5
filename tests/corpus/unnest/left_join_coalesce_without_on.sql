-- LEFT JOIN UNNEST(COALESCE(x, [])) without ON keeps rows
select t.id, r.path from edge_logs as t left join unnest(t.metadata) as m left join unnest(coalesce(m.request, [])) as r order by 1, 2
