-- Functions of other data sets are not called
select my_dataset.my_function(id) as x from edge_logs
