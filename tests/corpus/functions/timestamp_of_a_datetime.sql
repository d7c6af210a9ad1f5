-- A DATETIME in a zone as a TIMESTAMP
select x, timestamp(x, 'Europe/Berlin') as berlin, timestamp(x) as utc from unnest([datetime '2026-03-29 01:59:59', datetime '2026-03-29 02:30:00', datetime '2026-10-25 02:30:00', datetime '2024-02-29 00:00:00']) as x order by x
