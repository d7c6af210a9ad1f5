-- LEFT JOIN UNNEST ON TRUE keeps rows without an element
select
  cast(timestamp as datetime) as timestamp,
  h.cf_connecting_ip,
  h.user_agent
from edge_logs
  left join unnest(metadata) as m on true
  left join unnest(m.request) as r on true
  left join unnest(r.headers) as h on true
where h.cf_connecting_ip is not null
