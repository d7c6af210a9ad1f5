-- An aggregate over the row's own array
select id, (select string_agg(m.level, ',' order by m.level) from unnest(t.metadata) as m) as levels from pooler_logs as t order by id
