-- SPLIT keeps empty parts
select x, split(x, ',') as a, split(x, '')[safe_offset(1)] as b, array_length(split(x, ',')) as n, split(x) as d from unnest(['a,b,,c', '', ',', 'ab', 'ü,🦀', null]) as x order by x
