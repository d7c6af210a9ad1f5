-- NOT in parentheses on the right
select true = (not false) as x, not true = false as y
