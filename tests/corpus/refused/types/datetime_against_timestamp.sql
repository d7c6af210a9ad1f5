-- A DATETIME is no point in time without a zone
select id from edge_logs where timestamp between datetime '2026-01-01 00:00:00' and datetime '2026-01-02 00:00:00'
