-- A window function over a grouped sub-query
SELECT ip, hits, rank() over (order by hits desc, ip) as position
FROM (
  SELECT h.cf_connecting_ip AS ip, COUNT(*) AS hits
  FROM edge_logs AS t
  CROSS JOIN UNNEST(t.metadata) AS m
  CROSS JOIN UNNEST(m.request) AS r
  CROSS JOIN UNNEST(r.headers) AS h
  GROUP BY ip
)
WHERE hits >= 1
ORDER BY position
LIMIT 20
