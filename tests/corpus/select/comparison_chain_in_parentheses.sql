-- Comparisons of comparisons in parentheses
select (1 < 2) = (2 < 3) as x, (1 = 1) is true as y
