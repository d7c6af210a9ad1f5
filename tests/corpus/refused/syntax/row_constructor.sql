-- ROW is written STRUCT
select row(1, 2) as x
