-- A FULL JOIN after a comma needs parentheses
select a.id from edge_logs as a, auth_logs as b full join pooler_logs as c on b.id = c.id
