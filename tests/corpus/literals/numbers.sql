-- Numbers in all forms
select 0x1F as a, 1e5 as b, .5 as c, 1. as d, 9223372036854775807 as e, 1.7976931348623157e308 as f, 0.1 as g
