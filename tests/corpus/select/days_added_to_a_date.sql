-- A number of days added to a DATE, or taken off
select date(timestamp) + 1 as later, date(timestamp) - length(id) as earlier, 31 + date '2024-01-31' as swapped, date '2024-01-31' + nullif(length(id), length(id)) as unknown, date(timestamp) + 1 > '2026-03-01' as compared from edge_logs order by timestamp, id
