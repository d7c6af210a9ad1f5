-- Parentheses around a query
((select id from edge_logs)) order by id
