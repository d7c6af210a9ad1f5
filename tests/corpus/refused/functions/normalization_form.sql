-- NORMALIZE knows four forms
select normalize(id, nfx) as a from edge_logs
