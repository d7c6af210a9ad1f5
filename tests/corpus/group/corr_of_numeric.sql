-- CORR of values that do not vary is NaN, whatever their type
select corr(a, b) as same, corr(b, a) as other, corr(a, c) as varied, corr(if(c = 1, a, null), b) as one_pair
from unnest([struct(numeric '2' as a, numeric '3' as b, 1 as c), (2, 3, 2), (2, 3, 3)])
