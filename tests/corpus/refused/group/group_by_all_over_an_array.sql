-- GROUP BY ALL takes no key that GROUP BY refuses
select metadata, count(*) as n from edge_logs group by all
