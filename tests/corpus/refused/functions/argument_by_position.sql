-- An argument that is given by name only
select to_json(1, true) as a
