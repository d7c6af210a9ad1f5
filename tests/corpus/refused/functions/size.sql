-- SIZE is written ARRAY_LENGTH
select size(metadata) as n from edge_logs
