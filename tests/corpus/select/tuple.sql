-- A list in parentheses is a STRUCT without names of fields
select (1, 'x', null) as t, [(1, 2), (3, 4)] as list
