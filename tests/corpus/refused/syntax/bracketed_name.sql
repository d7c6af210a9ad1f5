-- Brackets quote no name
select [id] from [edge_logs]
