-- Fields that cannot be compared
select (1, 'a') = (1, 2) as x, (1, [1]) = (1, [1]) as y
