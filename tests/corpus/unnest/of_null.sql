-- UNNEST of NULL has no rows
select count(*) as n from unnest(cast(null as array<int64>)) as x
