-- All four subscripts
select [1, 2, 3][0] as a, [1, 2, 3][offset(1)] as b, [1, 2, 3][ordinal(3)] as c, [1, 2, 3][safe_offset(5)] as d, [1, 2, 3][safe_ordinal(0)] as e
