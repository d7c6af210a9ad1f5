-- TABLESAMPLE is not accepted
select id from edge_logs tablesample system (10 percent)
