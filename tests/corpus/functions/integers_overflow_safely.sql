-- SAFE_ADD and its kin are NULL past the ends
select x, safe_add(x, 1) as a, safe_subtract(x, 1) as b, safe_multiply(x, 2) as c, safe_negate(x) as d from unnest([9223372036854775807, -9223372036854775808, 0, 4611686018427387904]) as x order by x
