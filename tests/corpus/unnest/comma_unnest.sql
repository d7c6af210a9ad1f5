-- A comma before UNNEST
select t.id, m.level from pooler_logs as t, unnest(t.metadata) as m order by 1, 2
