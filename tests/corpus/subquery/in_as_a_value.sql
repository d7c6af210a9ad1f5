-- IN over a sub-table as a value, for each row
select r.id, r.id in (select e.id from edge_logs as e where e.timestamp = r.timestamp) as x, r.id not in (select nullif(e.id, 'e-0003') from edge_logs as e where e.id = r.id) as y from rest_api_logs as r order by r.id, r.timestamp
