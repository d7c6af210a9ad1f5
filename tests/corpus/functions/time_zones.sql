-- Fields of a TIMESTAMP in a zone, across changes of the clock
select id, extract(hour from timestamp at time zone 'Europe/Berlin') as berlin, extract(date from timestamp at time zone 'America/New_York') as new_york, extract(dayofweek from timestamp at time zone '+05:30') as india from edge_logs order by id
