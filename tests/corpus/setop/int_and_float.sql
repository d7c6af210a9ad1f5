-- INT64 and FLOAT64 meet in FLOAT64
select 1 as x union all select 2.5 order by x
