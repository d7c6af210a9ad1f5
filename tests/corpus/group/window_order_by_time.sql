-- Windows in the order of TIME and of BYTES, with and without a frame
select
  k,
  count(*) over (order by t) as upto,
  count(*) over (order by b range between current row and unbounded following) as rest,
  lag(k) over (order by b, k) as before
from unnest([
  struct(1 as k, time '01:00:00' as t, b'b' as b),
  struct(2 as k, time '00:00:00' as t, b'a' as b),
  struct(3 as k, time '01:00:00' as t, b'a' as b),
  struct(4 as k, cast(null as time) as t, cast(null as bytes) as b)
])
order by k
