-- With DISTINCT, a call is ordered by its arguments
select string_agg(distinct id order by timestamp) as a, array_agg(distinct lower(id) order by id) as b from edge_logs
