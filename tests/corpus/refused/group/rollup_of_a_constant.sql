-- Which total a constant is NULL in depends on how it is written
select cast('1' as int64) as one, count(*) as n from edge_logs group by rollup(one)
