-- An unknown table lists the sub-tables
select * from edge
