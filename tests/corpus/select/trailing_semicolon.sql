-- A semicolon at the end
select id from edge_logs order by id;
