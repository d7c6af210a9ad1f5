-- a sum that is too large fails
select (select sum(x) from unnest(array_concat([9223372036854775807], [e.n])) as x) as s from (select 1 as n) as e
