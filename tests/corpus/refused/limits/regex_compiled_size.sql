-- A regular expression that is too large once compiled
select regexp_contains(id, r'(\pL{100}){10}') from edge_logs
