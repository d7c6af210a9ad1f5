-- Keys of ROLLUP come one by one
select count(*) as n from edge_logs group by rollup((id, timestamp))
