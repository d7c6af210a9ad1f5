-- ARRAY_LENGTH and IS NULL of an array of at most one element
select array_length(metadata) as n, metadata is null as gone from edge_logs limit 1
