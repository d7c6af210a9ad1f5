-- REGEXP_INSTR can give the end of a match
select x, regexp_instr(x, r'b+', 1, 1, 0) as a, regexp_instr(x, r'b+', 1, 1, 1) as b, regexp_instr(x, r'a(b)', 1, 2) as c from unnest(['abbab', 'éb', '', null]) as x order by x
