-- No column has a dot in its name
select `metadata.request` from edge_logs
