-- TOP is written LIMIT
select top 10 id from edge_logs
