-- A number with letters
select 1_000
