-- Arithmetic by type
select 1 + 2 as a, 7 / 2 as b, 2 * 1.5 as c, -9223372036854775808 as d, mod(7, 3) as e, div(7, 2) as f, 5 - -1 as g, - (-1) as h
