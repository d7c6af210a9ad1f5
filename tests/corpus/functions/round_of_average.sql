-- Integer division is FLOAT64
      select 
        json_value(event_message, "$.path") as path,
        count(*) as n,
        round(avg(cast(json_value(event_message, "$.duration") as int64)) / 1000000, 2) as avg_ms,
        round(min(cast(json_value(event_message, "$.duration") as int64)) / 1000000, 2) as min_ms
      from auth_logs
      where json_value(event_message, "$.duration") is not null
      group by path
      order by path
