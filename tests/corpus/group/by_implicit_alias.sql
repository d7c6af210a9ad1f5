-- A field without AS is grouped by its last part
select m.level, count(*) as n from pooler_logs cross join unnest(metadata) as m group by level order by level
