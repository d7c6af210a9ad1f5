-- LEFT JOIN UNNEST(COALESCE(x, [])) without ON
select id, m.level from auth_logs left join unnest(coalesce(metadata, [])) as m limit 3
