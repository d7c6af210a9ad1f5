-- ARRAY JOIN is written UNNEST
select id from edge_logs array join metadata as m
