-- Signs and parentheses
select - -1 as a, -(-1) as b, +1 as c, - 9223372036854775808 as d, 1 - -1 as e
