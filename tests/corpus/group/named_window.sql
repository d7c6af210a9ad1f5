--! unordered
-- Named windows, one building on another
select id, rank() over w as r, count(*) over (base rows between 1 preceding and current row) as n from pooler_logs window base as (partition by event_message order by timestamp), w as (partition by event_message order by id)
