-- An unqualified field of an unnested record in WHERE
select
  r.path as filepath,
  r.method as http_verb,
  count(*) as hits
from edge_logs
  cross join unnest(metadata) as m
  cross join unnest(m.request) AS r
  cross join unnest(r.headers) AS h
where
  path like '%storage/v1/object/%'
group by
  r.path, r.method
order by
  hits desc, r.path, r.method
limit 25
