-- CURRENT_TIME and its kin are one instant
select current_time() as a, current_time('America/New_York') as b, current_datetime('Asia/Kathmandu') as c, safe.current_date('UTC') as d, time_diff(current_time(), time '00:00:00', hour) as e
