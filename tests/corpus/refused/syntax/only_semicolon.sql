-- A semicolon is no query
;
