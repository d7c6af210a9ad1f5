-- An INTERVAL has no column type
select interval 1 day as a, interval 1 day = interval 24 hour as b, [interval 1 day] as c from edge_logs
