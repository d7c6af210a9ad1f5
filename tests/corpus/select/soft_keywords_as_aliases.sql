-- Aliases that are keywords elsewhere
select count(*) as count, min(timestamp) as timestamp, max(timestamp) as date, sum(1) as sum from edge_logs
