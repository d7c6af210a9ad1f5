-- A named argument that the function lacks
select to_json(1, pretty => true) as a, json_keys(json '{}', mode => 1) as b
