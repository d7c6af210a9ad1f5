-- One unknown name at two places is reported at both
select nothing, id from edge_logs where nothing > 1 order by nothing
