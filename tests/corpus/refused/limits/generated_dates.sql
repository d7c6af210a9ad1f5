-- Generated dates are bounded
select generate_date_array('0001-01-01', '9999-12-31') as a, generate_timestamp_array('2024-01-01', '2024-01-02', interval 1 second) as b
