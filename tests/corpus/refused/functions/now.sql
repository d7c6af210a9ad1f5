-- NOW is written CURRENT_TIMESTAMP
select now() as t
