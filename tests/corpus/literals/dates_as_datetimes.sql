-- A DATE is a DATETIME at midnight
select date '2026-01-01' < datetime '2026-01-01 01:00:00' as a, coalesce(cast(null as date), datetime '2026-01-01 01:00:00') as b
