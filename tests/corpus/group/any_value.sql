-- ANY_VALUE of a constant group
select any_value(id) as id, timestamp from edge_logs group by edge_logs.id, timestamp order by 1, 2
