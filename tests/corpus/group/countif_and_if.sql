-- COUNTIF and conditional sums
select countif(r.status_code >= 500) as errors, sum(if(r.status_code < 400, 1, 0)) as fine from edge_logs cross join unnest(metadata) as m cross join unnest(m.response) as r
