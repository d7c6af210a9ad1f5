-- ARRAY_AGG of STRUCTs in a joined sub-query, and a whole row as a value
  select
      fe.id as id,
      fe.timestamp as timestamp,
      fe_req.pathname as request_path,
      fe_resp_h.x_sb_edge_region as edge_region,
      fe_meta.execution_id as execution_id,
      agg.n as n,
      agg.lines as lines,
      fe as raw_row
    from function_edge_logs as fe
    cross join unnest(metadata) as fe_meta
    cross join unnest(fe_meta.response) as fe_resp
    cross join unnest(fe_meta.request) as fe_req
    left join unnest(fe_resp.headers) as fe_resp_h
    left join unnest(fe_req.sb) as sb
    left join (
      SELECT
          fm.execution_id,
          COUNT(fl.id) as n,
          ARRAY_AGG(STRUCT(fl.id, fl.event_message, fm.level, fl.timestamp) ORDER BY fl.id) as lines
      FROM function_logs as fl
      CROSS JOIN UNNEST(fl.metadata) as fm
      WHERE fm.execution_id IS NOT NULL
      GROUP BY fm.execution_id
    ) as agg on fe_meta.execution_id = agg.execution_id

WHERE
  fe.id = 'fe-0002'
