-- NUMERIC and BIGNUMERIC
select numeric '-0.000000001' as a, bignumeric '1e-5' as b
