-- Sorting by FLOAT64 leaves the order of 0 and -0 to the next key
select array_agg(k order by x, k desc) as ks, array_agg(distinct abs(x) ignore nulls order by abs(x) desc) as xs
from unnest([-0.0, 1.0, 0.0, null, cast('nan' as float64), -0.0]) as x with offset as k
