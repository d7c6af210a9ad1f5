-- DESCRIBE is no query
describe edge_logs
