-- Brackets of two kinds do not match
select (1 + 2] as x
