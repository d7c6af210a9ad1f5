-- The type of an array follows from its elements
select array<int64>[1, 2] as x
