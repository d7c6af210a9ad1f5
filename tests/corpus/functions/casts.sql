-- Casts between scalar types
select cast('12' as int64) as a, cast(1.5 as string) as b, cast(timestamp as date) as c, cast('2026-01-01' as timestamp) as d, cast(true as string) as e, cast(12 as float64) as f, cast(null as string) as g from edge_logs limit 1
