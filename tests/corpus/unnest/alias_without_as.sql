-- UNNEST takes an alias without AS
select m.level from pooler_logs t cross join unnest(t.metadata) m order by 1
