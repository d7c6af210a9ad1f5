-- An unknown function, with a suggestion
select regexp_contain(id, r'x') from edge_logs
