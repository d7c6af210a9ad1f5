-- REGEXP_EXTRACT from a position and of an occurrence
select x, regexp_extract(x, r'[a-z]\d', 2) as a, regexp_extract(x, r'[a-z]\d', 1, 2) as b, regexp_instr(x, r'\d') as c from unnest(['a1b2c3', 'ü1ü2b3', '', null]) as x order by x
