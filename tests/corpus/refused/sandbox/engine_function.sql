-- Functions of engines
select load_extension('x')
