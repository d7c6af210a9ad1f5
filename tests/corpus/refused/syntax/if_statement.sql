-- IF needs brackets
select if true then 1 else 2 end as x
