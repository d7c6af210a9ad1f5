-- A scalar sub-query with two rows fails
select (select x from unnest([1, 2]) as x) as boom
