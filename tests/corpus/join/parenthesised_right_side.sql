-- A parenthesised join on the right side of a LEFT JOIN
WITH all_logs AS (
    select
      eg.id as id,
      al.id as source_id,
      eg.timestamp as timestamp,
      'auth' as kind,
      CAST(eg_resp.status_code AS STRING) as status,
      CASE
          WHEN eg_resp.status_code BETWEEN 200 AND 299 THEN 'ok'
          WHEN eg_resp.status_code BETWEEN 400 AND 499 THEN 'warn'
          WHEN eg_resp.status_code >= 500 THEN 'err'
          ELSE 'ok'
      END as level,
      eg_req.path as pathname,
      null as event_message,
      eg_req.method as method,
      null as n_logs
    from auth_logs as al
    cross join unnest(metadata) as al_meta
    left join (
    edge_logs as eg
        cross join unnest (metadata) as eg_meta
        cross join unnest (eg_meta.response) as eg_resp
        cross join unnest (eg_resp.headers) as eg_hdr
        cross join unnest (eg_meta.request) as eg_req
    )
    on al_meta.request_id = eg_hdr.cf_ray
    WHERE al_meta.request_id is not null
)
SELECT
    id,
    source_id,
    timestamp,
    kind,
    status,
    level,
    pathname,
    event_message,
    method,
    n_logs
FROM all_logs
ORDER BY timestamp DESC, id DESC, source_id LIMIT 50
