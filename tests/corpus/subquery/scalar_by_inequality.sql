-- a sub-query that compares with the outer row other than by equality
select r.id, (select count(*) from edge_logs as e where e.timestamp < r.timestamp) as n from rest_api_logs as r order by r.id, r.timestamp
