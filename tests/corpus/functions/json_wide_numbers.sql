-- Numbers that are no FLOAT64
select to_json_string(parse_json('{"a":1.00000000000000000001}', wide_number_mode => 'round')) as a, to_json_string(safe.parse_json('{"a":1.00000000000000000001}')) as b, float64(json '9007199254740993', wide_number_mode => 'round') as c, safe.float64(json '9007199254740993', wide_number_mode => 'exact') as d
