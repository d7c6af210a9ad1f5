-- RANGE_BUCKET counts bounds up to a value
select x, range_bucket(x, [0, 10, 10, 20]) as a, range_bucket(cast(x as float64), [0.5, 1.5]) as b, range_bucket(cast(x as string), ['1', '3']) as c, safe.range_bucket(x, [2, 1]) as d, range_bucket(date_from_unix_date(x), ['1970-01-02', '1970-02-01']) as e from unnest([-1, 0, 10, 15, 20, null]) as x order by x
