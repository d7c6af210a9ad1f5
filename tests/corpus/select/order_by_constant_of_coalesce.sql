-- A constant that COALESCE comes to is no ordinal
select id, 'x' as x from edge_logs order by coalesce(2, char_length(id)), id desc limit 3
