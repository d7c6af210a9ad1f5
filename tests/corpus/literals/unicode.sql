-- Text beyond ASCII
select 'é’🦀' as a, '\u00e9\U0001F980' as b
