-- Typed literals
select timestamp '2026-03-01 00:00:00+02' as a, date '2026-02-28' as b, datetime '2026-02-28T12:00:00.5' as c, time '12:34:56' as d, numeric '1.50' as e
