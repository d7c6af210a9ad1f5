-- Names of CTEs compare without case
with Totals as (select count(*) as n from edge_logs) select N from TOTALS
