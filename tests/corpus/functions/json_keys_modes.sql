-- JSON_KEYS looks into arrays as its mode says
select json_keys(j) as a, json_keys(j, 1) as b, json_keys(j, mode => 'lax') as c, json_keys(j, 2, mode => 'lax recursive') as d, json_keys(j, null) as e from unnest([json '{"a":[{"b":1},[{"c":2}]],"d":{"e f":[{"g":1}]}}', json '[1]', json '"x"']) as j order by to_json_string(j)
