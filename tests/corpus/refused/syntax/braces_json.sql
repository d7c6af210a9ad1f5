-- Braces make no record
select {'a': 1} as x
