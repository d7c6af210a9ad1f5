-- A literal that is no TIMESTAMP
select id from edge_logs where timestamp > 'yesterday'
