-- Two columns of one name
select id, id from edge_logs
