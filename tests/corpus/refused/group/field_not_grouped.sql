-- A field that is neither grouped nor aggregated
select m.level, m.mode, count(*) as n from pooler_logs cross join unnest(metadata) as m group by m.level
