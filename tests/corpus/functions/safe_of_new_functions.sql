-- SAFE. in front of functions that fail on a value
select safe.ascii('é') as a, safe.from_hex('x') as b, safe.sqrt(-1) as c, safe.array_first(cast([] as array<int64>)) as d, safe.date_bucket(date '9999-12-31', interval 0 day) as e, safe.parse_json('{') as f, safe.net.ip_from_string('x') as g, safe.div(1, 0) as h, safe.timestamp_add(timestamp '9999-12-31', interval 1 day) as i
