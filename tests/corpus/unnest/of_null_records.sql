-- A NULL that is an array of records has no rows
select x.a, o from unnest(if(false, [struct(1 as a, 'c' as b)], null)) as x with offset as o
