-- ORDER BY an output that is named like its column
select datetime(timestamp) as timestamp, id from edge_logs order by timestamp desc, id limit 7
