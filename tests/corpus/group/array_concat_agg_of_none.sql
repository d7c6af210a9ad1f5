-- ARRAY_CONCAT_AGG without a row is NULL
select array_concat_agg([n]) as a, array_agg(n) as b, count(*) as c from unnest([1]) as n where n > 1
