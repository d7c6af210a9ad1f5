-- Functions of NUMERIC keep its digits
select x, sqrt(abs(x)) as a, div(x, numeric '0.7') as b, mod(x, numeric '0.7') as c, sign(x) as d, round(x, 3) as e, trunc(x, 3) as f, ceil(x) as g, floor(x) as h, safe_add(x, x) as i, safe_divide(x, numeric '0') as j, safe_negate(x) as k from unnest([numeric '2', numeric '-123456789.987654321', numeric '0', numeric '0.000000001']) as x order by x
