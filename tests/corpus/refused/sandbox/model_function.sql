-- Functions that call out
select * from ml.predict(model logs.m, table edge)
