-- A derived table with an order and a limit
select count(*) as n, min(id) as least from (select id from edge_logs order by timestamp desc limit 4)
