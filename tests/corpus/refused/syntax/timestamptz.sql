-- TIMESTAMPTZ is written TIMESTAMP
select timestamptz '2026-01-01' as t
