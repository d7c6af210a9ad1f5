-- Columns that the sub-table leaves out do not exist
select e.project from edge_logs e
