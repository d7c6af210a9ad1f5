-- QUALIFY without a window function of its own, where the select list has one inside of a call
select x, concat('r', cast(row_number() over (order by x) as string)) as r from unnest([3, 1, 2]) as x qualify x > 1
