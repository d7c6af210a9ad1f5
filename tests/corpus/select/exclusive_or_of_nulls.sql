-- What is combined with itself by ^ is NULL where it is NULL
select m.k, m.i ^ m.i as same, (m.k ^ m.i) ^ m.i as twice, m.i ^ (m.k ^ m.i) as around, m.i & m.i as both, ~m.i ^ m.i as all_bits
from unnest([struct(1 as k, 5 as i), (2, null)]) as m
order by m.k
