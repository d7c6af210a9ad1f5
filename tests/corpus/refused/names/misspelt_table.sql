-- A misspelt sub-table gets a suggestion
select * from edge_log
