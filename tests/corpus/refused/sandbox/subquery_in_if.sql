-- A stream in a scalar sub-query
select if(true,(select event_message from edge limit 1),'')
