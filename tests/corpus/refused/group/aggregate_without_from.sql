-- An aggregate function needs rows
select count(*) as n
