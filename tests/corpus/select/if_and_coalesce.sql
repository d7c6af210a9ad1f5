-- IF and COALESCE
select if(m.status >= 500, 'bad', 'good') as verdict, coalesce(m.error, m.msg, 'none') as text from auth_logs cross join unnest(metadata) as m limit 2
