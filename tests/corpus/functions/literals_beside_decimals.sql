-- A FLOAT64 literal beside a decimal is a decimal
select mod(numeric '5', 2.5) as a, div(7.5, numeric '2') as b, coalesce(cast(null as numeric), 1.5) as c
