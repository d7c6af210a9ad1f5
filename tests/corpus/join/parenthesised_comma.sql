-- Parentheses around a join with a comma before
select a.id, b.id as second, c.id as third from edge_logs as a, (auth_logs as b join pooler_logs as c on b.timestamp = c.timestamp) where a.timestamp = b.timestamp order by 1, 2, 3
