-- A condition that is NULL chooses no row, also where the engine could join its lists
select m.k
from unnest([struct(1 as k, 1 as i), (2, null), (3, 3), (4, 4)]) as m
where (m.i not in (1, 2) or m.i not in (3, 5)) and m.i in (1, 3, m.k) and m.i not in (m.k - 3, 9)
order by m.k
