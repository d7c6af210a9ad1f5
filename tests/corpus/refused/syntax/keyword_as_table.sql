-- A reserved word is no table
select id from select
