-- The percentile of NUMERIC values at a FLOAT64 or INT64 is FLOAT64
select n, percentile_cont(n, 0.25) over () as q, percentile_cont(n, 1) over () as hi
from unnest([numeric '1', numeric '2.5', numeric '4']) as n
order by n
