-- LEFT JOIN UNNEST without ON, three levels deep
select id, timestamp, r.method, h.user_agent, res.status_code,
       rh.content_length, rh.proxy_status,
       jp.issued_at, jp.expires_at, jp.subject, sb.auth_user
from edge_logs
cross join unnest(metadata) as m
cross join unnest(m.request) as r
cross join unnest(r.headers) as h
cross join unnest(m.response) as res
cross join unnest(res.headers) as rh
cross join unnest(r.sb) as sb
left join unnest(sb.jwt) as jwt
left join unnest(jwt.authorization) as auth
left join unnest(auth.payload) as jp
where h.user_agent like 'probe-%'
order by timestamp desc
