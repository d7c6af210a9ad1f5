-- COALESCE within COALESCE doubles a level in the engine's planner
select coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(id, 'x0'), 'x1'), 'x2'), 'x3'), 'x4'), 'x5'), 'x6'), 'x7'), 'x8'), 'x9'), 'x10'), 'x11'), 'x12'), 'x13'), 'x14'), 'x15') as x from edge_logs
