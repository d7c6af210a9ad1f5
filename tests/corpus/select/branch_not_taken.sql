-- A branch that a row does not take does not fail on it, also where all of them are conditions
select m.k, if(m.k = 0, false, div(10, m.k) > 1) as a, coalesce(m.k = 0 or null, div(10, m.k) > 1) as b,
  case when m.k = 0 then 'none' when div(10, m.k) > 1 then 'few' end = 'none' as c
from unnest([0, 1, 10]) as k join (select x as k from unnest([0, 1, 10]) as x) as m on m.k = k
where case when m.k = 0 then true when div(10, m.k) > 1 then null else m.k > 1 end is not false
order by m.k
