-- ORDER BY takes no constant
select id from edge_logs order by 'id'
