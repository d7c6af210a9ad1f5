-- The precision of a sketch has its bounds
select hll_count.init(id, 9) as a, hll_count.init(null, 1) as b from edge_logs
