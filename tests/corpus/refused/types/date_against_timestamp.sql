-- A DATE is no point in time without a zone
select id from edge_logs where timestamp > current_date()
