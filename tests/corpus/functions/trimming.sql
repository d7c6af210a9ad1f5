-- TRIM of whitespace and of given characters
select x, trim(x) as a, ltrim(x) as b, rtrim(x) as c, trim(x, 'xy ') as d from unnest(['  a ', '\t\u00a0b\u2003', 'xyxaxy', '', ' ', null]) as x order by x
