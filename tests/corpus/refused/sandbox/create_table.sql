-- DDL
create table logs.x as select * from edge_logs
