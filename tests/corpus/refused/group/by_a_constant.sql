-- GROUP BY takes no constant
select count(*) as n from edge_logs group by 'x'
