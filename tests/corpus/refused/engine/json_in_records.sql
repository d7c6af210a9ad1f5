-- A record with JSON is written on BigQuery only
select to_json_string(struct(json '1' as j)) as a, json_array([json '1']) as b, to_json(struct(1)) as c
