-- EXTRACT takes no text
select extract(day from '2026-01-01') as x
