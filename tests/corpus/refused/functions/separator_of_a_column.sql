-- The separator of STRING_AGG is a literal
select string_agg(id, id) as a from edge_logs
