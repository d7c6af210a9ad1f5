-- SET is no query
set x = 1
