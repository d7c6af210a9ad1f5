-- Literals in an array are what the other side is
select date(timestamp) in unnest(['2026-01-01', null]) as a, id from edge_logs order by timestamp, id
