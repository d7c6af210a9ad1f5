-- QUALIFY needs a window function
select id from edge_logs qualify id > 'a'
