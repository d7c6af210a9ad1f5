--! redact
-- Comparisons and patterns see redacted values
select countif(event_message like "%10.%") as a, countif(starts_with(event_message, "1")) as b,
  countif(regexp_contains(event_message, r"\d+\.\d+")) as c, sum(case when event_message > "5" then 1 else 0 end) as d from edge_logs
