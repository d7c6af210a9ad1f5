-- Words that are no reserved ones as aliases
select 1 as count, 2 as sum, 3 as date, 4 as value, 5 as day, 6 as first, 7 as last, 8 as row, 9 as key, 10 as type, 11 as year, 12 as time, 13 as offset, 14 as level, 15 as text, 16 as status
