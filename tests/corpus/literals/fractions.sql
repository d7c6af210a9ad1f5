-- Fractions and exponents
select .5 as a, 1. as b, 1e3 as c, 1.5E-3 as d, 1e+2 as e
