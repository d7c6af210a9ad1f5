-- ARRAY over the row's own array
select id, array(select m.level from unnest(t.metadata) as m) as levels from pooler_logs as t order by id
