-- NULL with a type is a value like any other
select cast(null as int64) + 1 as a, cast(null as string) = 'a' as b, coalesce(cast(null as float64), 1) as c, -cast(null as int64) as d
