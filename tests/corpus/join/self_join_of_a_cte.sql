-- A CTE joined with itself
with c as (select timestamp_trunc(timestamp, day) as day, count(*) as n from edge_logs group by 1) select a.day, a.n, b.n as before from c as a left join c as b on b.day = timestamp_sub(a.day, interval 1 day) order by 1
