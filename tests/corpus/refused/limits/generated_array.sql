-- The bounds of GENERATE_ARRAY are literals up to 10000
select x from unnest(generate_array(1, 1000000)) as x
