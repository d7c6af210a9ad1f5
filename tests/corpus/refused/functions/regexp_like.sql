-- REGEXP_LIKE is written REGEXP_CONTAINS
select regexp_like(id, 'a') as x from edge_logs
