-- ORDER BY an expression that is not selected
select id from edge_logs order by length(id) desc, id
