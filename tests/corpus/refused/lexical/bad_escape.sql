-- An escape that does not exist
select 'a\q'
