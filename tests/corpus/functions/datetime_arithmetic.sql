-- Months of a DATETIME end where the month ends
select id, datetime_add(datetime(timestamp), interval 1 month) as month, datetime_sub(datetime(timestamp), interval 1 year) as year, datetime_diff(datetime(timestamp), datetime '2024-02-29 00:00:00', month) as months, date_diff(date(timestamp), date '2024-02-29', week) as weeks from edge_logs order by id
