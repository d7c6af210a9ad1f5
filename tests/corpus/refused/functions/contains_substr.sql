-- A function off the allow-list that has another form
select id from edge_logs where contains_substr(id, 'a')
