-- DECLARE is no query
declare x int64
