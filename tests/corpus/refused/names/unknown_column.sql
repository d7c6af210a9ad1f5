-- An unknown column, with a suggestion
select event_mesage from edge_logs
