-- LIKE ANY is not accepted
select id from edge_logs where event_message like any ('a%', 'b%')
