-- Conditions of a join that read the elements of an array beside both sides
--! unordered
select a.k, b.k as other
from (select k, [k, k + 1] as ks from unnest([1, 2, 3]) as k) as a
left join (select k, k * 2 as m from unnest([1, 2, 3]) as k) as b
  on exists (select 1 from unnest(a.ks) as e where e + a.k > b.m + 1)
  and (select logical_and(b.k > 0) from unnest(a.ks) as e)
