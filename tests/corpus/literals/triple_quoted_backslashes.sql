-- A triple-quoted literal that ends in an escaped backslash
select """\\""", """ , event_message from edge -- """ from edge_logs
