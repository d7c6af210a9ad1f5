--! unordered
-- An array of nothing holds values of any type, and NULL alone is an array
select id, id in unnest([]) as a, timestamp not in unnest([]) as b, date(timestamp) in unnest([]) as c, array_length(null) as d, array_first(null) as e, array_reverse(null) as f from edge_logs
