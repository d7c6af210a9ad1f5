-- TABLE is no way around
select id from edge_logs union all table edge
