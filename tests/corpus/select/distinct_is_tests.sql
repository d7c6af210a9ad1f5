-- IS TRUE and its kin among the values that DISTINCT and GROUP BY compare
select distinct s.status_code >= 500 is true as failed, s.status_code >= 400 is not false as refused, (r.path is null) is false as named
from edge_logs as e cross join unnest(e.metadata) as m left join unnest(m.response) as s left join unnest(m.request) as r
order by failed, refused, named
