-- NULL without a type is no array
select x from unnest(null) as x
