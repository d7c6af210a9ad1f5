-- LIMIT BY is of another database
select id from edge_logs limit 1 by id
