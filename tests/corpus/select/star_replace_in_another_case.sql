-- A column is called as it is written in REPLACE
select * replace (upper(id) as ID) from (select id, timestamp from edge_logs) order by id
