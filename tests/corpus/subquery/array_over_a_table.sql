-- ARRAY over a sub-table, for each row
select r.id, array(select e.timestamp from edge_logs as e where e.id = r.id order by e.timestamp desc) as x from rest_api_logs as r order by r.id, r.timestamp
