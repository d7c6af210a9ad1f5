-- Arrays that are stored in two ways meet in one that is returned the same
--! unordered
select id, array_length(records) as n
from (select e.id, e.metadata as records from edge_logs as e
  union all select f.id, [f.metadata[safe_offset(0)], f.metadata[safe_offset(0)]] as records from edge_logs as f
  union all select g.id, g.metadata as records from edge_logs as g)
