-- System variables
select @@project_id, @@dataset_project_id
