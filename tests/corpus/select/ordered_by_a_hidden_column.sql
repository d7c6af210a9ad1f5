-- ORDER BY a column that an output of another type hides
select cast(e.timestamp as string) as timestamp, id from edge_logs as e order by e.timestamp, id
