-- Sketches are on BigQuery only
select hll_count.extract(hll_count.init(id)) as a, hll_count.merge(cast(id as bytes)) as b, hll_count.merge_partial(cast(id as bytes)) as c from edge_logs
