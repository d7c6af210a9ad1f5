-- Arrays cannot be grouped by
select metadata, count(*) from edge_logs group by metadata
