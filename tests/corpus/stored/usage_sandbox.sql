--! endpoint usage.api-counts
--! param interval=daily
-- The sub-tables of the usage counts can be queried
select sum(total_rest_requests) as rest, sum(total_auth_requests) as auth from chart_counts
