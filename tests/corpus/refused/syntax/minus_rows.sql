-- MINUS is written EXCEPT DISTINCT
select id from edge_logs minus select id from auth_logs
