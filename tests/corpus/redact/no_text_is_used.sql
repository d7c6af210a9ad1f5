--! redact
-- Nothing is redacted where no text is read: the conditions are bare
select timestamp_trunc(timestamp, hour) as hour, count(*) as n from edge_logs
cross join unnest(metadata) as m cross join unnest(m.response) as s
where timestamp > timestamp "2026-03-01T00:00:00Z" and s.status_code >= 500 group by hour order by hour
