-- A dot in backticks can stand in the name of a table alone
select id as `a.b` from edge_logs
