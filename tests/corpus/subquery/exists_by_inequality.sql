-- EXISTS that compares with the outer row other than by equality
select r.id from rest_api_logs as r where exists (select 1 from edge_logs as e where e.id = r.id and e.timestamp <= r.timestamp) order by r.id, r.timestamp
