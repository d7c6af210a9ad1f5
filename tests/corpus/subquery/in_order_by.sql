-- A scalar sub-query in ORDER BY
select id from edge_logs order by (select 1), id
