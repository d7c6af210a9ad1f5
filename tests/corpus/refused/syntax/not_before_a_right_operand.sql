-- NOT needs brackets on the right of =
select true = not false as x
