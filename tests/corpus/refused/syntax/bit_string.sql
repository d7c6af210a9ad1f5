-- Binary numbers are no literals
select 0b101 as n
