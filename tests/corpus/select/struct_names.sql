-- A path gives its field a name, also in brackets; a list in parentheses gives none
select to_json_string(struct(id, (e.timestamp))) as named, (id, 1) as unnamed, (select as struct (id)) as inner_name from edge_logs as e order by id, timestamp
