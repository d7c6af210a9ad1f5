-- Arms of INT64 and FLOAT64 are FLOAT64
select 1 as n union all select 2.5 union all select null order by n
