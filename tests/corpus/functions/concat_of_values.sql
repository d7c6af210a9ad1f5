-- What is no text is put together as its text
select n || ' of ' || 3 as a, concat(n, '-', n > 1, '-', n / 2, '-', numeric '1.50') as b, concat(null, n) as c, date '2024-01-31' || ' ' || time '10:00:00' as d, timestamp '2024-01-31 10:00:00.5+00' || '' as e from unnest([1, 2, null]) as n order by n
