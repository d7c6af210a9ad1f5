-- REPEAT with a huge count
select repeat('a', 1000000000000)
