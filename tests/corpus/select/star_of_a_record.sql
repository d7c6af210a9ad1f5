-- .* of a record
select m.* except (host) from pooler_logs cross join unnest(metadata) as m order by id
