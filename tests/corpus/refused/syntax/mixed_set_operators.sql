-- Different set operators need parentheses
select 1 as a union all select 2 except distinct select 3
