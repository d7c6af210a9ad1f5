-- A text that ends too early
select id from edge_logs where (id =
