-- FORMAT is NULL where a directive has no text for NULL
select format('%d', n) as a, format('%t', n) as b, format('%s', cast(n as string)) as c, format('%T', [n]) as d from unnest([1, null]) as n order by n
