-- COUNT(*) under an alias that is a function name
SELECT count(*) as count FROM realtime_logs
