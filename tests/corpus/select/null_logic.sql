-- AND and OR of NULL
select a, b, a and b as both, a or b as either, not a as inverted from unnest([true, false, null]) as a cross join unnest([true, false, null]) as b order by a, b
