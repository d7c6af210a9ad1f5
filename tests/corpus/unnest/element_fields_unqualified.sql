-- Fields of an element need no qualifier
select a, b from unnest([struct(1 as a, 'x' as b), struct(2, 'y')]) order by a
