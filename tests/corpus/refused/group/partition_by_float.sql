-- Rows cannot be partitioned by FLOAT64
select row_number() over (partition by x) as n from unnest([1.0]) as x
