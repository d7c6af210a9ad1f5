-- Comparisons do not chain
select 1 = 1 = true
