-- UNNEST of records written out
select s.a, s.b from unnest([struct(1 as a, 'x' as b), struct(2, 'y')]) as s order by 1
