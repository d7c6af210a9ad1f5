-- A share of a total
select m.level, count(*) as n, count(*) / sum(count(*)) over () as share from pooler_logs cross join unnest(metadata) as m group by 1 order by 1
