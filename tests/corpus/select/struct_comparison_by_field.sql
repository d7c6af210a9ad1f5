-- Fields of two records compared
select struct(1 as a).a = struct(1 as b).b as same
