-- TO_JSON_STRING on several lines
select to_json_string(struct(1 as a, ['x', null] as b, struct(date '2024-02-29' as d) as c), true) as a, to_json_string(json '{"b":[],"a":{"x":1}}', true) as b, to_json_string([1.0, 1e300, cast('nan' as float64)], false) as c
