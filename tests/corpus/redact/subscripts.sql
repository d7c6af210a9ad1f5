--! redact
-- Elements at positions are gone along too
select metadata[offset(0)].request[safe_offset(0)].path as path from edge_logs
where metadata[safe_offset(0)].request[safe_offset(0)].url like "%a%" order by id
