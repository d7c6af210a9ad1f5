-- INTERSECT of expressions
select date(timestamp) as day from edge_logs intersect distinct select date(timestamp) from auth_logs order by 1
