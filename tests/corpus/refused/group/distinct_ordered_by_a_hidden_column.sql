-- Behind DISTINCT, ORDER BY does not see the columns of FROM
select distinct lower(id) as x from edge_logs order by lower(id), timestamp
