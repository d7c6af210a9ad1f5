-- The separator of STRING_AGG is not NULL
select string_agg(id, null) as ids, string_agg(id, cast(null as string)) as more from edge_logs
