-- HAVING needs groups
select id from edge_logs having id > 'a'
