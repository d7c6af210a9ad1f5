-- Windows in the order of TIME and of BYTES, with and without a frame
select
  k,
  count(*) over (order by t) as upto,
  count(*) over (order by b range between current row and unbounded following) as rest,
  lag(k) over (order by b, k) as before
from unnest([struct(1 as k, time '01:00:00' as t, b'b' as b), struct(2, time '00:00:00', b'a'), struct(3, time '01:00:00', b'a'), struct(4, null, null)])
order by k
