-- COUNT(DISTINCT) of a JSON value
    select 
      timestamp_trunc(timestamp, day) as timestamp,
      count(distinct json_value(f.event_message, "$.auth_event.actor_id")) as count
    from auth_logs f
    where json_value(f.event_message, "$.auth_event.action") in (
      'token_refreshed', 'login',
      'user_recovery_requested'
    )
    group by timestamp
    order by timestamp desc
