-- Generated numbers
select generate_array(1, 10, 3) as a, generate_array(5, 1, -2) as b, generate_array(0.0, 1.0, 0.25) as c, generate_array(numeric '1', 2, numeric '0.5') as d, array_length(generate_array(1, 0)) as e
