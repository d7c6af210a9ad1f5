-- A literal in a cast to its own type orders nothing
select array_agg(id order by cast('' as string), id) as ids, (select count(*) from edge_logs order by cast('x' as string)) as n from edge_logs order by cast('' as string)
