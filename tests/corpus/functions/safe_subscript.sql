-- An element of what a call with SAFE. gives
select x, safe.split(x, ',')[0] as a, safe.split(x, ',')[safe_offset(1)] as b, Safe.regexp_extract_all(x, r'[a-c]')[safe_ordinal(2)] as c, safe.to_code_points(x)[safe_offset(0)] + 1 as d from unnest(['a,b', 'x', 'cab']) as x order by x
