-- Reserved words in backticks
select id as `select`, timestamp as `from` from edge_logs as `where` order by `select`, `from`
