-- SELECT AS STRUCT stands in sub-queries
select as struct id, timestamp from edge_logs
