-- An output alias named like a sub-table
select t.id as edge_logs from edge_logs as t order by edge_logs
