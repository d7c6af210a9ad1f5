-- A constant sort key leaves the rest to decide
select distinct id from edge_logs order by 1 + 1, id
