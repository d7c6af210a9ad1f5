-- EXPLODE is written UNNEST
select explode(metadata) as m from edge_logs
