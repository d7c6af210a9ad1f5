-- An interval moves what has a date
select time '10:00:00' + interval 1 hour as a, interval 1 day - date '2024-01-01' as b, date '2024-01-02' - date '2024-01-01' as c, '2024-01-02' - '2024-01-01' as d
