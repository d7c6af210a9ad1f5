-- Times written out
select date '2024-02-29' as d, time '23:59:59.999999' as t, datetime '2024-02-29T23:59:59' as dt, timestamp '2024-02-29 23:59:59.5+01:30' as ts
