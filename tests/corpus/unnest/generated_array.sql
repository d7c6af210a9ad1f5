-- UNNEST of a generated array
select x from unnest(generate_array(1, 10, 3)) as x order by x
