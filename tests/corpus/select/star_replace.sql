-- * REPLACE keeps the place of a column
select * replace (upper(id) as id) from (select id, timestamp from edge_logs) order by 1, 2
