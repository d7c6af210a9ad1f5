-- Hexadecimal integers
select 0x1F as a, 0XfF as b, -0x8000000000000000 as c
