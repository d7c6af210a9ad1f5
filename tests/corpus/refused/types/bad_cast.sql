-- A cast that does not exist
select cast(metadata as string) from edge_logs
