-- GENERATE_UUID is not accepted
select generate_uuid() as x
