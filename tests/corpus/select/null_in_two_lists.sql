-- NULL is neither in a list nor not in it, also where a value is looked up in two, and an item of NULL is no match
select m.k, m.i in (1, 2) and m.i in (3, 4) as a, m.i not in (1, 2) or m.i not in (3, 4) as b,
  m.i in (1, 2) and m.i not in (1, 2, 3) as c, m.i in (1, 2) and m.i not in (4, null) as d,
  (m.i = 1 or m.i = 2) and (m.i = 3 or m.i = 4) as e, m.i in (1, m.k) and m.i in (1, 5) as f
from unnest([struct(1 as k, 1 as i), (2, null), (5, 5)]) as m
order by m.k
