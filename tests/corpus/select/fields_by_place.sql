-- A field of a STRUCT can be read by its place, as one without a name has to be
select n, (n, 'a')[offset(1)] as a, s[0] as b, s[ordinal(2)][safe_offset(0)] as c, (n > 1) is unknown as u, (n is null) is not unknown as v from (select n, struct(n as x, (n, 2)) as s from unnest([1, 2, null]) as n) order by n
