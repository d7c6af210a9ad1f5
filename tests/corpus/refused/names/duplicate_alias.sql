-- Two items of FROM with one alias
select 1 from edge_logs as t, auth_logs as t
