-- A key that is no output column is computed for the rows that WHERE leaves alone
select min(id) as first, count(*) as c from edge_logs where regexp_contains(id, r'^e-[0-9]+$') group by cast(substr(id, 3) as int64) order by 1
