-- Generated dates and instants
select generate_date_array('2024-01-31', '2024-06-30', interval 1 month) as a, generate_date_array('2024-01-03', '2024-01-01', interval -1 day) as b, generate_date_array(date '2024-02-27', date '2024-03-01') as c, generate_timestamp_array('2024-03-10 06:00:00', '2024-03-10 09:00:00+00', interval 45 minute) as d
