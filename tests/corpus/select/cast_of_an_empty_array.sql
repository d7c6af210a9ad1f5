-- An empty array is cast to any array type
select cast([] as array<string>) as names, array_length(cast([] as array<float64>)) as n
