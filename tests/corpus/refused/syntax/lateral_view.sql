-- LATERAL VIEW is written UNNEST
select id from edge_logs lateral view explode(metadata) m as x
