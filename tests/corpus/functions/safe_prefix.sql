-- SAFE. gives NULL in place of an error
select safe.substr(id, -1, -1) as a, safe_cast(id as int64) as b, safe_divide(1, 0) as c, safe.parse_timestamp('%F', id) as d from edge_logs limit 1
