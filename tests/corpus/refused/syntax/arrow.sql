-- An arrow reads no field
select metadata->'request' as x from edge_logs
