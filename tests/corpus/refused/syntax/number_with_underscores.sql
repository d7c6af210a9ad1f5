-- Digits are not grouped
select 1_000 as n
