-- A set operation is ordered by an expression over its columns
select id from edge_logs union distinct select id from database_logs order by length(id), reverse(id)
