-- The clock minus an interval
SELECT
    timestamp_trunc(t.timestamp, minute) AS ts,
    count(*) AS count
FROM edge_logs t
WHERE t.timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 90 MINUTE)
GROUP BY ts
ORDER BY ts ASC
