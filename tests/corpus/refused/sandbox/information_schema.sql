-- Metadata views
select query from region-us.INFORMATION_SCHEMA.JOBS
