-- QUALIFY chooses by a window function
select id from edge_logs qualify id is not null
