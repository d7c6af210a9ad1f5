-- Quotes are not doubled
select 'it''s'
