-- NaN is not equal to itself in CASE either
select x, case x when 0.0 then 'zero' when cast('nan' as float64) then 'nan' when null then 'null' else 'other' end as c
from unnest([0.0, -0.0, 1.0, null, cast('nan' as float64)]) as x
