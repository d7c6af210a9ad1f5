-- Rows of SELECT AS STRUCT in FROM have the fields as columns
with c as (select as struct 'a' as k, 1 as n) select q.x, q, c.k, (select as struct y, 3 as z from (select as struct 2 as y)) as s from (select as struct n * 2 as x, n from c) as q cross join c
