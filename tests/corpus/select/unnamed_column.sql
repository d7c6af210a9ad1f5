-- A column without a name is called f0_
SELECT
  DATETIME(timestamp),
  req.method,
  hdr.cf_ipcountry
FROM
  edge_logs AS t
  CROSS JOIN UNNEST(t.metadata) AS meta
  CROSS JOIN UNNEST(meta.request) AS req
  CROSS JOIN UNNEST(req.headers) AS hdr
ORDER BY timestamp
LIMIT 35;
