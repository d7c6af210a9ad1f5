-- FORMAT writes arrays, records and JSON
select format('%t %T', [1, null], ['a', null]) as a, format('%t %T', struct(1 as x, 'y' as y), struct(1 as x)) as b, format('%t|%T|%p|%P', json '{"b":[1],"a":"x"}', json '"q"', json '[1,2]', json '{"a":{}}') as c, format('%T %T %T', date '2024-02-29', datetime '2024-02-29 01:02:03.5', b'\xff"') as d
