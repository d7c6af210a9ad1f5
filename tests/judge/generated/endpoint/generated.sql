WITH t AS (SELECT * FROM rows_t), u AS (SELECT * FROM rows_u)
SELECT k FROM t
