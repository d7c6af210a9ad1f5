-- INSERT is no query
insert into edge_logs (id) values ('a')
