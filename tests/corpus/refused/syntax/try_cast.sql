-- TRY_CAST is written SAFE_CAST
select try_cast(id as int64) as x from edge_logs
