-- SUM past the end fails
select sum(x) as boom from unnest([9223372036854775807, 1]) as x
