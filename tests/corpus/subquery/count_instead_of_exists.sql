-- A count of a sub-query in the select list
select (select count(*) from edge_logs where id = 'e-0007') > 0 as found
