-- STRUCT and array constructors
select struct(id, timestamp as seen) as pair, [1, 2, 3] as numbers, ['a', event_message] as texts from edge_logs limit 1
