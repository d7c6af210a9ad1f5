-- EXISTS as a value, by more than equality
select r.id, exists (select 1 from edge_logs as e where e.id = r.id and e.timestamp < r.timestamp) as x from rest_api_logs as r order by r.id, r.timestamp
