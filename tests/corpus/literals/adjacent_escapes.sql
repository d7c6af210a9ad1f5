-- Backslashes next to quotes
select '\\' as a, '\'' as b, "\"" as c, r'\'' as d, '''\'''' as e
