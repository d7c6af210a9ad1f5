-- ORDER BY takes no negative number
select id from edge_logs order by -1
