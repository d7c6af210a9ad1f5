-- A literal does not convert before a sub-query of IN
select '2026-01-01' in (select date(timestamp) from edge_logs) as x
