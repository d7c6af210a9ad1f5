-- TO_JSON, JSON_OBJECT and JSON_ARRAY
select to_json(struct(id, timestamp, length(id) as n, 9007199254740993 as wide)) as a, to_json(struct(9007199254740993 as wide, numeric '1.5' as m), stringify_wide_numbers => true) as b, json_object('id', id, 'list', [1, 2], 'none', null) as c, json_array(id, 1.5, true, null, json '{"b":1,"a":2}', date '2024-02-29') as d from edge_logs order by id
