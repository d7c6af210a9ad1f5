-- EXISTS inside of a condition
select id from edge_logs as e where case when exists (select 1 from rest_api_logs as r where r.id = e.id) then true else e.id = 'e-0007' end order by id
