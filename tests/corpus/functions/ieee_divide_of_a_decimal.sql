-- A NUMERIC literal becomes a FLOAT64
select ieee_divide(1, numeric '2.5') as quotient, round(sqrt(numeric '2.25'), 3) as root
