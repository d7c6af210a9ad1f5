-- JSON_OBJECT of two arrays
select json_object(['b', 'a'], [1, 2]) as a, json_object() as b, json_array() as c, safe.json_object(['a'], [1, 2]) as d, json_object('a', 1, 'a', 2) as e
