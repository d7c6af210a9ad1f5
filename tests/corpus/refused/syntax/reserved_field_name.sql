-- A reserved word is no name of a field
select struct(id, timestamp as at) as pair from edge_logs
