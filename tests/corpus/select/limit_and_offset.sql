-- LIMIT with OFFSET
select id from edge_logs order by timestamp desc limit 10 offset 20
