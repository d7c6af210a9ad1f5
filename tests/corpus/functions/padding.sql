-- LPAD, RPAD and REPEAT
select x, lpad(x, 4) as a, rpad(x, 4, 'xy') as b, lpad(x, 2, '-') as c, repeat(x, 2) as d from unnest(['a', 'héllo', '', '🦀', null]) as x order by x
