-- EXISTS over a row's own array
select id from edge_logs as e where exists (select 1 from unnest(e.metadata) as m cross join unnest(m.response) as r where r.status_code >= 500) limit 5
