--! nondeterministic LIMIT without an order
-- A sub-table joined with itself
select a.id, b.id as next from rest_api_logs as a left join rest_api_logs as b on a.timestamp < b.timestamp limit 5
