-- STRING_AGG with LIMIT and without ORDER BY
select length(string_agg('x', '' limit 3)) as n, string_agg(nullif(id, id), ',' limit 2) as none from edge_logs
