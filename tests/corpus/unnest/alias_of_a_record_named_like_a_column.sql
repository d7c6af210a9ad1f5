-- An alias equal to the column it unnests
select id, metadata.level from pooler_logs cross join unnest(metadata) as metadata order by 1, 2
