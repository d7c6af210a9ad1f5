-- NOT EXISTS finds what has no partner
select e.id from edge_logs as e where not exists (select 1 from rest_api_logs as r where r.id = e.id) order by e.id
