-- NUMERIC keeps nine decimals
select cast('1.2345678901' as numeric) as a, numeric '1.10' * 3 as b, round(numeric '2.345', 2) as c, numeric '1' / 3 as d, cast(numeric '1.50' as string) as e, cast(0.1 as numeric) + numeric '0.2' as f
