-- A keyword is misspelt
select id form edge_logs
