-- Queries inside of the compiler's limits that would break an engine that trusts its callers, and what does not
-- exist for them. A query is what stands between two names.

-- # sum of 60 terms
select length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id)+length(id) as n from edge_logs limit 1

-- # nested calls
select abs(abs(abs(abs(abs(abs(abs(abs(abs(abs(abs(abs(abs(abs(abs(abs(abs(abs(abs(abs(abs(abs(abs(abs(abs(abs(abs(abs(length(id))))))))))))))))))))))))))))) as n from edge_logs

-- # operands that are repeated
select nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(cast(length(id) as float64), 0.5), 1.5), 2.5), 3.5), 4.5), 5.5), 6.5), 7.5), 8.5), 9.5), 10.5), 11.5), 12.5), 13.5), 14.5), 15.5), 16.5), 17.5), 18.5), 19.5), 20.5), 21.5), 22.5), 23.5), 24.5), 25.5), 26.5), 27.5) as n from edge_logs

-- # 300 conditions
select count(*) as n from edge_logs where event_message like '%0%x%0%' or event_message like '%1%x%1%' or event_message like '%2%x%2%' or event_message like '%3%x%3%' or event_message like '%4%x%4%' or event_message like '%5%x%5%' or event_message like '%6%x%6%' or event_message like '%7%x%7%' or event_message like '%8%x%8%' or event_message like '%9%x%9%' or event_message like '%10%x%10%' or event_message like '%11%x%11%' or event_message like '%12%x%12%' or event_message like '%13%x%13%' or event_message like '%14%x%14%' or event_message like '%15%x%15%' or event_message like '%16%x%16%' or event_message like '%17%x%17%' or event_message like '%18%x%18%' or event_message like '%19%x%19%' or event_message like '%20%x%20%' or event_message like '%21%x%21%' or event_message like '%22%x%22%' or event_message like '%23%x%23%' or event_message like '%24%x%24%' or event_message like '%25%x%25%' or event_message like '%26%x%26%' or event_message like '%27%x%27%' or event_message like '%28%x%28%' or event_message like '%29%x%29%' or event_message like '%30%x%30%' or event_message like '%31%x%31%' or event_message like '%32%x%32%' or event_message like '%33%x%33%' or event_message like '%34%x%34%' or event_message like '%35%x%35%' or event_message like '%36%x%36%' or event_message like '%37%x%37%' or event_message like '%38%x%38%' or event_message like '%39%x%39%' or event_message like '%40%x%40%' or event_message like '%41%x%41%' or event_message like '%42%x%42%' or event_message like '%43%x%43%' or event_message like '%44%x%44%' or event_message like '%45%x%45%' or event_message like '%46%x%46%' or event_message like '%47%x%47%' or event_message like '%48%x%48%' or event_message like '%49%x%49%' or event_message like '%50%x%50%' or event_message like '%51%x%51%' or event_message like '%52%x%52%' or event_message like '%53%x%53%' or event_message like '%54%x%54%' or event_message like '%55%x%55%' or event_message like '%56%x%56%' or event_message like '%57%x%57%' or event_message like '%58%x%58%' or event_message like '%59%x%59%' or event_message like '%60%x%60%' or event_message like '%61%x%61%' or event_message like '%62%x%62%' or event_message like '%63%x%63%' or event_message like '%64%x%64%' or event_message like '%65%x%65%' or event_message like '%66%x%66%' or event_message like '%67%x%67%' or event_message like '%68%x%68%' or event_message like '%69%x%69%' or event_message like '%70%x%70%' or event_message like '%71%x%71%' or event_message like '%72%x%72%' or event_message like '%73%x%73%' or event_message like '%74%x%74%' or event_message like '%75%x%75%' or event_message like '%76%x%76%' or event_message like '%77%x%77%' or event_message like '%78%x%78%' or event_message like '%79%x%79%' or event_message like '%80%x%80%' or event_message like '%81%x%81%' or event_message like '%82%x%82%' or event_message like '%83%x%83%' or event_message like '%84%x%84%' or event_message like '%85%x%85%' or event_message like '%86%x%86%' or event_message like '%87%x%87%' or event_message like '%88%x%88%' or event_message like '%89%x%89%' or event_message like '%90%x%90%' or event_message like '%91%x%91%' or event_message like '%92%x%92%' or event_message like '%93%x%93%' or event_message like '%94%x%94%' or event_message like '%95%x%95%' or event_message like '%96%x%96%' or event_message like '%97%x%97%' or event_message like '%98%x%98%' or event_message like '%99%x%99%' or event_message like '%100%x%100%' or event_message like '%101%x%101%' or event_message like '%102%x%102%' or event_message like '%103%x%103%' or event_message like '%104%x%104%' or event_message like '%105%x%105%' or event_message like '%106%x%106%' or event_message like '%107%x%107%' or event_message like '%108%x%108%' or event_message like '%109%x%109%' or event_message like '%110%x%110%' or event_message like '%111%x%111%' or event_message like '%112%x%112%' or event_message like '%113%x%113%' or event_message like '%114%x%114%' or event_message like '%115%x%115%' or event_message like '%116%x%116%' or event_message like '%117%x%117%' or event_message like '%118%x%118%' or event_message like '%119%x%119%' or event_message like '%120%x%120%' or event_message like '%121%x%121%' or event_message like '%122%x%122%' or event_message like '%123%x%123%' or event_message like '%124%x%124%' or event_message like '%125%x%125%' or event_message like '%126%x%126%' or event_message like '%127%x%127%' or event_message like '%128%x%128%' or event_message like '%129%x%129%' or event_message like '%130%x%130%' or event_message like '%131%x%131%' or event_message like '%132%x%132%' or event_message like '%133%x%133%' or event_message like '%134%x%134%' or event_message like '%135%x%135%' or event_message like '%136%x%136%' or event_message like '%137%x%137%' or event_message like '%138%x%138%' or event_message like '%139%x%139%' or event_message like '%140%x%140%' or event_message like '%141%x%141%' or event_message like '%142%x%142%' or event_message like '%143%x%143%' or event_message like '%144%x%144%' or event_message like '%145%x%145%' or event_message like '%146%x%146%' or event_message like '%147%x%147%' or event_message like '%148%x%148%' or event_message like '%149%x%149%' or event_message like '%150%x%150%' or event_message like '%151%x%151%' or event_message like '%152%x%152%' or event_message like '%153%x%153%' or event_message like '%154%x%154%' or event_message like '%155%x%155%' or event_message like '%156%x%156%' or event_message like '%157%x%157%' or event_message like '%158%x%158%' or event_message like '%159%x%159%' or event_message like '%160%x%160%' or event_message like '%161%x%161%' or event_message like '%162%x%162%' or event_message like '%163%x%163%' or event_message like '%164%x%164%' or event_message like '%165%x%165%' or event_message like '%166%x%166%' or event_message like '%167%x%167%' or event_message like '%168%x%168%' or event_message like '%169%x%169%' or event_message like '%170%x%170%' or event_message like '%171%x%171%' or event_message like '%172%x%172%' or event_message like '%173%x%173%' or event_message like '%174%x%174%' or event_message like '%175%x%175%' or event_message like '%176%x%176%' or event_message like '%177%x%177%' or event_message like '%178%x%178%' or event_message like '%179%x%179%' or event_message like '%180%x%180%' or event_message like '%181%x%181%' or event_message like '%182%x%182%' or event_message like '%183%x%183%' or event_message like '%184%x%184%' or event_message like '%185%x%185%' or event_message like '%186%x%186%' or event_message like '%187%x%187%' or event_message like '%188%x%188%' or event_message like '%189%x%189%' or event_message like '%190%x%190%' or event_message like '%191%x%191%' or event_message like '%192%x%192%' or event_message like '%193%x%193%' or event_message like '%194%x%194%' or event_message like '%195%x%195%' or event_message like '%196%x%196%' or event_message like '%197%x%197%' or event_message like '%198%x%198%' or event_message like '%199%x%199%' or event_message like '%200%x%200%' or event_message like '%201%x%201%' or event_message like '%202%x%202%' or event_message like '%203%x%203%' or event_message like '%204%x%204%' or event_message like '%205%x%205%' or event_message like '%206%x%206%' or event_message like '%207%x%207%' or event_message like '%208%x%208%' or event_message like '%209%x%209%' or event_message like '%210%x%210%' or event_message like '%211%x%211%' or event_message like '%212%x%212%' or event_message like '%213%x%213%' or event_message like '%214%x%214%' or event_message like '%215%x%215%' or event_message like '%216%x%216%' or event_message like '%217%x%217%' or event_message like '%218%x%218%' or event_message like '%219%x%219%' or event_message like '%220%x%220%' or event_message like '%221%x%221%' or event_message like '%222%x%222%' or event_message like '%223%x%223%' or event_message like '%224%x%224%' or event_message like '%225%x%225%' or event_message like '%226%x%226%' or event_message like '%227%x%227%' or event_message like '%228%x%228%' or event_message like '%229%x%229%' or event_message like '%230%x%230%' or event_message like '%231%x%231%' or event_message like '%232%x%232%' or event_message like '%233%x%233%' or event_message like '%234%x%234%' or event_message like '%235%x%235%' or event_message like '%236%x%236%' or event_message like '%237%x%237%' or event_message like '%238%x%238%' or event_message like '%239%x%239%' or event_message like '%240%x%240%' or event_message like '%241%x%241%' or event_message like '%242%x%242%' or event_message like '%243%x%243%' or event_message like '%244%x%244%' or event_message like '%245%x%245%' or event_message like '%246%x%246%' or event_message like '%247%x%247%' or event_message like '%248%x%248%' or event_message like '%249%x%249%' or event_message like '%250%x%250%' or event_message like '%251%x%251%' or event_message like '%252%x%252%' or event_message like '%253%x%253%' or event_message like '%254%x%254%' or event_message like '%255%x%255%' or event_message like '%256%x%256%' or event_message like '%257%x%257%' or event_message like '%258%x%258%' or event_message like '%259%x%259%' or event_message like '%260%x%260%' or event_message like '%261%x%261%' or event_message like '%262%x%262%' or event_message like '%263%x%263%' or event_message like '%264%x%264%' or event_message like '%265%x%265%' or event_message like '%266%x%266%' or event_message like '%267%x%267%' or event_message like '%268%x%268%' or event_message like '%269%x%269%' or event_message like '%270%x%270%' or event_message like '%271%x%271%' or event_message like '%272%x%272%' or event_message like '%273%x%273%' or event_message like '%274%x%274%' or event_message like '%275%x%275%' or event_message like '%276%x%276%' or event_message like '%277%x%277%' or event_message like '%278%x%278%' or event_message like '%279%x%279%' or event_message like '%280%x%280%' or event_message like '%281%x%281%' or event_message like '%282%x%282%' or event_message like '%283%x%283%' or event_message like '%284%x%284%' or event_message like '%285%x%285%' or event_message like '%286%x%286%' or event_message like '%287%x%287%' or event_message like '%288%x%288%' or event_message like '%289%x%289%'

-- # 30 arms of everything
with a as (select id, event_message from edge_logs), b as (select event_message as id, id as event_message from edge_logs) select id, event_message from a union all select id, event_message from a union all select id, event_message from a union all select id, event_message from a union all select id, event_message from a union all select id, event_message from a union all select id, event_message from a union all select id, event_message from a union all select id, event_message from a union all select id, event_message from a union all select id, event_message from a union all select id, event_message from a union all select id, event_message from a union all select id, event_message from a union all select id, event_message from a union all select id, event_message from b union all select id, event_message from b union all select id, event_message from b union all select id, event_message from b union all select id, event_message from b union all select id, event_message from b union all select id, event_message from b union all select id, event_message from b union all select id, event_message from b union all select id, event_message from b union all select id, event_message from b union all select id, event_message from b union all select id, event_message from b union all select id, event_message from b union all select id, event_message from b

-- # 30 arms sorted
with a as (select event_message as m from edge_logs), b as (select id || event_message as m from edge_logs) select m from a union all select m from a union all select m from a union all select m from a union all select m from a union all select m from a union all select m from a union all select m from a union all select m from a union all select m from a union all select m from a union all select m from a union all select m from a union all select m from a union all select m from a union all select m from b union all select m from b union all select m from b union all select m from b union all select m from b union all select m from b union all select m from b union all select m from b union all select m from b union all select m from b union all select m from b union all select m from b union all select m from b union all select m from b union all select m from b order by m limit 10

-- # cross join counted
select count(*) as n from edge_logs as a cross join edge_logs as b where a.id || b.id = 'x'

-- # cross join of three
select count(*) as n from edge_logs as a, edge_logs as b, edge_logs as c

-- # cross join of four sorted
select a.id from edge_logs as a, edge_logs as b, edge_logs as c, edge_logs as d order by a.id || d.id limit 10

-- # cross join sorted
select a.event_message from edge_logs as a, edge_logs as b order by b.event_message, a.event_message limit 10

-- # cross join grouped
select a.id, b.id as other, count(*) as n from edge_logs as a, edge_logs as b group by a.id, b.id order by n limit 5

-- # cross join distinct
select distinct a.id, b.event_message from edge_logs as a, edge_logs as b limit 1000

-- # cross join windowed
select a.id, row_number() over (order by a.id, b.id) as r from edge_logs as a, edge_logs as b limit 5

-- # join on an inequality
select count(*) as n from edge_logs as a join edge_logs as b on a.timestamp < b.timestamp

-- # join on text parts
select count(*) as n from edge_logs as a join edge_logs as b on strpos(a.event_message, b.id) > 0

-- # outer join on an inequality
select count(*) as n from edge_logs as a full join edge_logs as b on a.id > b.id

-- # left join on an inequality sorted
select a.id from edge_logs as a left join edge_logs as b on a.event_message > b.event_message order by b.id limit 5

-- # join that multiplies
select count(*) as n from edge_logs as a join edge_logs as b on substr(a.id, 1, 0) = substr(b.id, 1, 0) join edge_logs as c on substr(b.id, 1, 0) = substr(c.id, 1, 0)

-- # join on one key sorted
select a.event_message from edge_logs as a join edge_logs as b on true order by a.event_message limit 3

-- # self joins by a key
select count(*) as n from edge_logs as a join edge_logs as b using (id) join edge_logs as c using (id) join edge_logs as d using (id)

-- # ctes that double
with a as (select id from edge_logs), b as (select x.id from a as x, a as y), c as (select x.id from b as x, b as y), d as (select x.id from c as x, c as y) select count(*) as n from d

-- # sort of everything
select id, event_message, metadata from edge_logs order by event_message, id limit 1000 offset 100000

-- # sort by long keys
select id from edge_logs order by repeat(rpad(event_message, 1000, 'x'), 10) desc limit 10

-- # repeat of a column
select max(length(repeat(event_message, 1000))) as n from edge_logs

-- # repeat of repeats
select length(repeat(repeat(repeat(event_message, 100), 100), 100)) as n from edge_logs

-- # padding
select repeat(lpad(event_message, 1000, 'x'), 1000) as a from edge_logs limit 1000

-- # many paddings
select length(repeat(rpad(event_message, 1000, 'x'), 900)) as c0, length(repeat(rpad(event_message, 1000, 'x'), 901)) as c1, length(repeat(rpad(event_message, 1000, 'x'), 902)) as c2, length(repeat(rpad(event_message, 1000, 'x'), 903)) as c3, length(repeat(rpad(event_message, 1000, 'x'), 904)) as c4, length(repeat(rpad(event_message, 1000, 'x'), 905)) as c5, length(repeat(rpad(event_message, 1000, 'x'), 906)) as c6, length(repeat(rpad(event_message, 1000, 'x'), 907)) as c7, length(repeat(rpad(event_message, 1000, 'x'), 908)) as c8, length(repeat(rpad(event_message, 1000, 'x'), 909)) as c9, length(repeat(rpad(event_message, 1000, 'x'), 910)) as c10, length(repeat(rpad(event_message, 1000, 'x'), 911)) as c11, length(repeat(rpad(event_message, 1000, 'x'), 912)) as c12, length(repeat(rpad(event_message, 1000, 'x'), 913)) as c13, length(repeat(rpad(event_message, 1000, 'x'), 914)) as c14, length(repeat(rpad(event_message, 1000, 'x'), 915)) as c15, length(repeat(rpad(event_message, 1000, 'x'), 916)) as c16, length(repeat(rpad(event_message, 1000, 'x'), 917)) as c17, length(repeat(rpad(event_message, 1000, 'x'), 918)) as c18, length(repeat(rpad(event_message, 1000, 'x'), 919)) as c19, length(repeat(rpad(event_message, 1000, 'x'), 920)) as c20, length(repeat(rpad(event_message, 1000, 'x'), 921)) as c21, length(repeat(rpad(event_message, 1000, 'x'), 922)) as c22, length(repeat(rpad(event_message, 1000, 'x'), 923)) as c23, length(repeat(rpad(event_message, 1000, 'x'), 924)) as c24, length(repeat(rpad(event_message, 1000, 'x'), 925)) as c25, length(repeat(rpad(event_message, 1000, 'x'), 926)) as c26, length(repeat(rpad(event_message, 1000, 'x'), 927)) as c27, length(repeat(rpad(event_message, 1000, 'x'), 928)) as c28, length(repeat(rpad(event_message, 1000, 'x'), 929)) as c29, length(repeat(rpad(event_message, 1000, 'x'), 930)) as c30, length(repeat(rpad(event_message, 1000, 'x'), 931)) as c31, length(repeat(rpad(event_message, 1000, 'x'), 932)) as c32, length(repeat(rpad(event_message, 1000, 'x'), 933)) as c33, length(repeat(rpad(event_message, 1000, 'x'), 934)) as c34, length(repeat(rpad(event_message, 1000, 'x'), 935)) as c35, length(repeat(rpad(event_message, 1000, 'x'), 936)) as c36, length(repeat(rpad(event_message, 1000, 'x'), 937)) as c37, length(repeat(rpad(event_message, 1000, 'x'), 938)) as c38, length(repeat(rpad(event_message, 1000, 'x'), 939)) as c39, length(repeat(rpad(event_message, 1000, 'x'), 940)) as c40, length(repeat(rpad(event_message, 1000, 'x'), 941)) as c41, length(repeat(rpad(event_message, 1000, 'x'), 942)) as c42, length(repeat(rpad(event_message, 1000, 'x'), 943)) as c43, length(repeat(rpad(event_message, 1000, 'x'), 944)) as c44, length(repeat(rpad(event_message, 1000, 'x'), 945)) as c45, length(repeat(rpad(event_message, 1000, 'x'), 946)) as c46, length(repeat(rpad(event_message, 1000, 'x'), 947)) as c47, length(repeat(rpad(event_message, 1000, 'x'), 948)) as c48, length(repeat(rpad(event_message, 1000, 'x'), 949)) as c49, length(repeat(rpad(event_message, 1000, 'x'), 950)) as c50, length(repeat(rpad(event_message, 1000, 'x'), 951)) as c51, length(repeat(rpad(event_message, 1000, 'x'), 952)) as c52, length(repeat(rpad(event_message, 1000, 'x'), 953)) as c53, length(repeat(rpad(event_message, 1000, 'x'), 954)) as c54, length(repeat(rpad(event_message, 1000, 'x'), 955)) as c55, length(repeat(rpad(event_message, 1000, 'x'), 956)) as c56, length(repeat(rpad(event_message, 1000, 'x'), 957)) as c57, length(repeat(rpad(event_message, 1000, 'x'), 958)) as c58, length(repeat(rpad(event_message, 1000, 'x'), 959)) as c59 from edge_logs

-- # padding aggregated
select count(distinct repeat(lpad(event_message, 1000, id), 100)) as n from edge_logs

-- # replace that grows
select max(length(replace(replace(replace(event_message, '', 'x'), 'x', 'xxxxxxxxxxxxxxxxxxxx'), 'x', 'xxxxxxxxxxxxxxxxxxxx'))) as n from edge_logs

-- # replace of a letter
select replace(replace(replace(rpad('a', 1000, 'a'), 'a', rpad('b', 1000, 'b')), 'b', rpad('c', 1000, 'c')), 'c', id) as x from edge_logs limit 10

-- # concat that doubles
with a as (select event_message || event_message as m from edge_logs), b as (select m || m || m || m as m from a), c as (select m || m || m || m as m from b), d as (select m || m || m || m as m from c), e as (select m || m || m || m as m from d), f as (select m || m || m || m as m from e) select max(length(m)) as n from f

-- # format
select format('%1000000s', event_message) as x from edge_logs limit 100

-- # format chain
select format('%s%s%s%s', format('%s%s%s%s', m, m, m, m), format('%s%s%s%s', m, m, m, m), format('%s%s%s%s', m, m, m, m), m) as x from (select repeat(rpad(event_message, 1000), 100) as m from edge_logs) limit 10

-- # to hex of to json
select max(length(to_json_string(array(select w from unnest(split(event_message, '')) as w)))) as n from edge_logs

-- # regex replace that grows
select max(length(regexp_replace(event_message, '', '0123456789012345678901234567890123456789'))) as n from edge_logs

-- # regex of nested repetitions
select count(*) as n from edge_logs where regexp_contains(event_message, '(((a*)*)*)*(b|c|d)*$')

-- # regex of large repetitions
select count(*) as n from edge_logs where regexp_contains(event_message, '(.{1,30}){1,30}x')

-- # regexes of many words
select countif(regexp_contains(event_message, '(?i)(w0|[a-z]+0.*){2}')) as c0, countif(regexp_contains(event_message, '(?i)(w1|[a-z]+1.*){2}')) as c1, countif(regexp_contains(event_message, '(?i)(w2|[a-z]+2.*){2}')) as c2, countif(regexp_contains(event_message, '(?i)(w3|[a-z]+3.*){2}')) as c3, countif(regexp_contains(event_message, '(?i)(w4|[a-z]+4.*){2}')) as c4, countif(regexp_contains(event_message, '(?i)(w5|[a-z]+5.*){2}')) as c5, countif(regexp_contains(event_message, '(?i)(w6|[a-z]+6.*){2}')) as c6, countif(regexp_contains(event_message, '(?i)(w7|[a-z]+7.*){2}')) as c7, countif(regexp_contains(event_message, '(?i)(w8|[a-z]+8.*){2}')) as c8, countif(regexp_contains(event_message, '(?i)(w9|[a-z]+9.*){2}')) as c9, countif(regexp_contains(event_message, '(?i)(w10|[a-z]+10.*){2}')) as c10, countif(regexp_contains(event_message, '(?i)(w11|[a-z]+11.*){2}')) as c11, countif(regexp_contains(event_message, '(?i)(w12|[a-z]+12.*){2}')) as c12, countif(regexp_contains(event_message, '(?i)(w13|[a-z]+13.*){2}')) as c13, countif(regexp_contains(event_message, '(?i)(w14|[a-z]+14.*){2}')) as c14, countif(regexp_contains(event_message, '(?i)(w15|[a-z]+15.*){2}')) as c15, countif(regexp_contains(event_message, '(?i)(w16|[a-z]+16.*){2}')) as c16, countif(regexp_contains(event_message, '(?i)(w17|[a-z]+17.*){2}')) as c17, countif(regexp_contains(event_message, '(?i)(w18|[a-z]+18.*){2}')) as c18, countif(regexp_contains(event_message, '(?i)(w19|[a-z]+19.*){2}')) as c19, countif(regexp_contains(event_message, '(?i)(w20|[a-z]+20.*){2}')) as c20, countif(regexp_contains(event_message, '(?i)(w21|[a-z]+21.*){2}')) as c21, countif(regexp_contains(event_message, '(?i)(w22|[a-z]+22.*){2}')) as c22, countif(regexp_contains(event_message, '(?i)(w23|[a-z]+23.*){2}')) as c23, countif(regexp_contains(event_message, '(?i)(w24|[a-z]+24.*){2}')) as c24, countif(regexp_contains(event_message, '(?i)(w25|[a-z]+25.*){2}')) as c25, countif(regexp_contains(event_message, '(?i)(w26|[a-z]+26.*){2}')) as c26, countif(regexp_contains(event_message, '(?i)(w27|[a-z]+27.*){2}')) as c27, countif(regexp_contains(event_message, '(?i)(w28|[a-z]+28.*){2}')) as c28, countif(regexp_contains(event_message, '(?i)(w29|[a-z]+29.*){2}')) as c29, countif(regexp_contains(event_message, '(?i)(w30|[a-z]+30.*){2}')) as c30, countif(regexp_contains(event_message, '(?i)(w31|[a-z]+31.*){2}')) as c31, countif(regexp_contains(event_message, '(?i)(w32|[a-z]+32.*){2}')) as c32, countif(regexp_contains(event_message, '(?i)(w33|[a-z]+33.*){2}')) as c33, countif(regexp_contains(event_message, '(?i)(w34|[a-z]+34.*){2}')) as c34, countif(regexp_contains(event_message, '(?i)(w35|[a-z]+35.*){2}')) as c35, countif(regexp_contains(event_message, '(?i)(w36|[a-z]+36.*){2}')) as c36, countif(regexp_contains(event_message, '(?i)(w37|[a-z]+37.*){2}')) as c37, countif(regexp_contains(event_message, '(?i)(w38|[a-z]+38.*){2}')) as c38, countif(regexp_contains(event_message, '(?i)(w39|[a-z]+39.*){2}')) as c39, countif(regexp_contains(event_message, '(?i)(w40|[a-z]+40.*){2}')) as c40, countif(regexp_contains(event_message, '(?i)(w41|[a-z]+41.*){2}')) as c41, countif(regexp_contains(event_message, '(?i)(w42|[a-z]+42.*){2}')) as c42, countif(regexp_contains(event_message, '(?i)(w43|[a-z]+43.*){2}')) as c43, countif(regexp_contains(event_message, '(?i)(w44|[a-z]+44.*){2}')) as c44, countif(regexp_contains(event_message, '(?i)(w45|[a-z]+45.*){2}')) as c45, countif(regexp_contains(event_message, '(?i)(w46|[a-z]+46.*){2}')) as c46, countif(regexp_contains(event_message, '(?i)(w47|[a-z]+47.*){2}')) as c47, countif(regexp_contains(event_message, '(?i)(w48|[a-z]+48.*){2}')) as c48, countif(regexp_contains(event_message, '(?i)(w49|[a-z]+49.*){2}')) as c49, countif(regexp_contains(event_message, '(?i)(w50|[a-z]+50.*){2}')) as c50, countif(regexp_contains(event_message, '(?i)(w51|[a-z]+51.*){2}')) as c51, countif(regexp_contains(event_message, '(?i)(w52|[a-z]+52.*){2}')) as c52, countif(regexp_contains(event_message, '(?i)(w53|[a-z]+53.*){2}')) as c53, countif(regexp_contains(event_message, '(?i)(w54|[a-z]+54.*){2}')) as c54, countif(regexp_contains(event_message, '(?i)(w55|[a-z]+55.*){2}')) as c55, countif(regexp_contains(event_message, '(?i)(w56|[a-z]+56.*){2}')) as c56, countif(regexp_contains(event_message, '(?i)(w57|[a-z]+57.*){2}')) as c57, countif(regexp_contains(event_message, '(?i)(w58|[a-z]+58.*){2}')) as c58, countif(regexp_contains(event_message, '(?i)(w59|[a-z]+59.*){2}')) as c59 from edge_logs

-- # all matches
select sum(array_length(regexp_extract_all(event_message, '.'))) as n from edge_logs

-- # split to characters
select count(*) as n from edge_logs, unnest(split(event_message, '')) as c

-- # split of split
select count(*) as n from edge_logs, unnest(split(event_message, '')) as a, unnest(split(event_message, '')) as b

-- # split of split of split sorted
select a, b, c from edge_logs, unnest(split(event_message, '')) as a, unnest(split(event_message, '')) as b, unnest(split(event_message, '')) as c order by a, b, c limit 10

-- # generated array for each row
select count(*) as n from edge_logs, unnest(generate_array(1, 10000)) as x

-- # generated arrays multiplied
select count(*) as n from edge_logs, unnest(generate_array(1, 10000)) as x, unnest(generate_array(1, 10000)) as y

-- # generated arrays sorted
select x, y from unnest(generate_array(1, 10000)) as x, unnest(generate_array(1, 10000)) as y order by x * y desc, x limit 5

-- # generated array of a column
select count(*) as n from edge_logs as e, unnest(generate_array(length(e.event_message) - 5000, 5000)) as x

-- # generated array as a value
select id, generate_array(1, 10000) as x from edge_logs

-- # generated array aggregated
select array_length(array_concat_agg) as n from (select array_agg(x) as array_concat_agg from edge_logs, unnest(generate_array(1, 10000)) as x)

-- # own array multiplied
select max((select count(*) from unnest(split(event_message, '')) as a, unnest(split(event_message, '')) as b, unnest(split(event_message, '')) as c)) as n from edge_logs

-- # own array gathered
select array(select a || b from unnest(split(event_message, '')) as a, unnest(split(event_message, '')) as b) as x from edge_logs

-- # own array with a long text
select max(array_length(array(select repeat(rpad(event_message, 1000), 100) || x from unnest(generate_array(1, 10000)) as n, unnest(['a', 'b']) as x where n > length(e.id)))) as n from edge_logs as e

-- # array of a large table
select array(select event_message from edge_logs order by event_message) as x

-- # array_agg of everything
select array_agg((select as struct e.id, e.event_message, e.metadata)) as x from edge_logs as e

-- # array_agg of everything twice
select array_length(array_agg(event_message order by event_message)) as a, array_length(array_agg(id order by timestamp desc)) as b from edge_logs

-- # array_agg of a join
select array_agg(a.event_message || b.event_message) as x from edge_logs as a, edge_logs as b

-- # string_agg of everything
select string_agg(event_message, '') as x from edge_logs

-- # string_agg of a join
select length(string_agg(a.event_message)) as n from edge_logs as a, edge_logs as b

-- # string_agg of long texts
select length(string_agg(repeat(rpad(event_message, 1000), 100))) as n from edge_logs

-- # wide group by
select substr(event_message, 1, 3) as k1, substr(event_message, 2, 3) as k2, substr(event_message, 3, 3) as k3, substr(event_message, 4, 3) as k4, substr(event_message, 5, 3) as k5, substr(event_message, 6, 3) as k6, substr(event_message, 7, 3) as k7, substr(event_message, 8, 3) as k8, substr(event_message, 9, 3) as k9, substr(event_message, 10, 3) as k10, substr(event_message, 11, 3) as k11, substr(event_message, 12, 3) as k12, substr(event_message, 13, 3) as k13, substr(event_message, 14, 3) as k14, substr(event_message, 15, 3) as k15, substr(event_message, 16, 3) as k16, substr(event_message, 17, 3) as k17, substr(event_message, 18, 3) as k18, substr(event_message, 19, 3) as k19, substr(event_message, 20, 3) as k20, substr(event_message, 21, 3) as k21, substr(event_message, 22, 3) as k22, substr(event_message, 23, 3) as k23, substr(event_message, 24, 3) as k24, substr(event_message, 25, 3) as k25, substr(event_message, 26, 3) as k26, substr(event_message, 27, 3) as k27, substr(event_message, 28, 3) as k28, substr(event_message, 29, 3) as k29, substr(event_message, 30, 3) as k30, count(*) as n from edge_logs group by k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12, k13, k14, k15, k16, k17, k18, k19, k20, k21, k22, k23, k24, k25, k26, k27, k28, k29, k30

-- # group by long keys
select repeat(rpad(event_message, 1000, id), 10) as k, count(*) as n from edge_logs group by k order by n limit 5

-- # rollup
select substr(id, 1, 2) as k1, substr(id, 2, 2) as k2, substr(id, 3, 2) as k3, substr(id, 4, 2) as k4, substr(id, 5, 2) as k5, substr(id, 6, 2) as k6, substr(id, 7, 2) as k7, substr(id, 8, 2) as k8, substr(id, 9, 2) as k9, substr(id, 10, 2) as k10, substr(id, 11, 2) as k11, substr(id, 12, 2) as k12, count(*) as n from edge_logs group by rollup(k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12)

-- # many distinct counts
select count(distinct substr(event_message, 1)) as c1, count(distinct substr(event_message, 2)) as c2, count(distinct substr(event_message, 3)) as c3, count(distinct substr(event_message, 4)) as c4, count(distinct substr(event_message, 5)) as c5, count(distinct substr(event_message, 6)) as c6, count(distinct substr(event_message, 7)) as c7, count(distinct substr(event_message, 8)) as c8, count(distinct substr(event_message, 9)) as c9, count(distinct substr(event_message, 10)) as c10, count(distinct substr(event_message, 11)) as c11, count(distinct substr(event_message, 12)) as c12, count(distinct substr(event_message, 13)) as c13, count(distinct substr(event_message, 14)) as c14, count(distinct substr(event_message, 15)) as c15, count(distinct substr(event_message, 16)) as c16, count(distinct substr(event_message, 17)) as c17, count(distinct substr(event_message, 18)) as c18, count(distinct substr(event_message, 19)) as c19, count(distinct substr(event_message, 20)) as c20, count(distinct substr(event_message, 21)) as c21, count(distinct substr(event_message, 22)) as c22, count(distinct substr(event_message, 23)) as c23, count(distinct substr(event_message, 24)) as c24, count(distinct substr(event_message, 25)) as c25, count(distinct substr(event_message, 26)) as c26, count(distinct substr(event_message, 27)) as c27, count(distinct substr(event_message, 28)) as c28, count(distinct substr(event_message, 29)) as c29, count(distinct substr(event_message, 30)) as c30, count(distinct substr(event_message, 31)) as c31, count(distinct substr(event_message, 32)) as c32, count(distinct substr(event_message, 33)) as c33, count(distinct substr(event_message, 34)) as c34, count(distinct substr(event_message, 35)) as c35, count(distinct substr(event_message, 36)) as c36, count(distinct substr(event_message, 37)) as c37, count(distinct substr(event_message, 38)) as c38, count(distinct substr(event_message, 39)) as c39, count(distinct substr(event_message, 40)) as c40, count(distinct substr(event_message, 41)) as c41, count(distinct substr(event_message, 42)) as c42, count(distinct substr(event_message, 43)) as c43, count(distinct substr(event_message, 44)) as c44, count(distinct substr(event_message, 45)) as c45, count(distinct substr(event_message, 46)) as c46, count(distinct substr(event_message, 47)) as c47, count(distinct substr(event_message, 48)) as c48, count(distinct substr(event_message, 49)) as c49, count(distinct substr(event_message, 50)) as c50, count(distinct substr(event_message, 51)) as c51, count(distinct substr(event_message, 52)) as c52, count(distinct substr(event_message, 53)) as c53, count(distinct substr(event_message, 54)) as c54, count(distinct substr(event_message, 55)) as c55, count(distinct substr(event_message, 56)) as c56, count(distinct substr(event_message, 57)) as c57, count(distinct substr(event_message, 58)) as c58, count(distinct substr(event_message, 59)) as c59 from edge_logs

-- # window over everything
select id, sum(length(event_message)) over (order by timestamp rows between unbounded preceding and unbounded following) as s from edge_logs limit 5

-- # window with wide frames
select max(s) as m from (select sum(length(event_message)) over (order by timestamp rows between 100000 preceding and 100000 following) as s from edge_logs)

-- # window of strings
select max(length(s)) as n from (select string_agg(event_message) over (order by timestamp rows between 10000 preceding and current row) as s from edge_logs)

-- # window of minima
select max(s) as m from (select min(event_message) over (order by timestamp rows between 50000 preceding and 50000 following) as s from edge_logs)

-- # many windows
select row_number() over (partition by substr(id, 1, 1) order by event_message, timestamp) as r1, row_number() over (partition by substr(id, 2, 1) order by event_message, timestamp) as r2, row_number() over (partition by substr(id, 3, 1) order by event_message, timestamp) as r3, row_number() over (partition by substr(id, 4, 1) order by event_message, timestamp) as r4, row_number() over (partition by substr(id, 5, 1) order by event_message, timestamp) as r5, row_number() over (partition by substr(id, 6, 1) order by event_message, timestamp) as r6, row_number() over (partition by substr(id, 7, 1) order by event_message, timestamp) as r7, row_number() over (partition by substr(id, 8, 1) order by event_message, timestamp) as r8, row_number() over (partition by substr(id, 9, 1) order by event_message, timestamp) as r9, row_number() over (partition by substr(id, 10, 1) order by event_message, timestamp) as r10, row_number() over (partition by substr(id, 11, 1) order by event_message, timestamp) as r11, row_number() over (partition by substr(id, 12, 1) order by event_message, timestamp) as r12, row_number() over (partition by substr(id, 13, 1) order by event_message, timestamp) as r13, row_number() over (partition by substr(id, 14, 1) order by event_message, timestamp) as r14, row_number() over (partition by substr(id, 15, 1) order by event_message, timestamp) as r15, row_number() over (partition by substr(id, 16, 1) order by event_message, timestamp) as r16, row_number() over (partition by substr(id, 17, 1) order by event_message, timestamp) as r17, row_number() over (partition by substr(id, 18, 1) order by event_message, timestamp) as r18, row_number() over (partition by substr(id, 19, 1) order by event_message, timestamp) as r19, row_number() over (partition by substr(id, 20, 1) order by event_message, timestamp) as r20, row_number() over (partition by substr(id, 21, 1) order by event_message, timestamp) as r21, row_number() over (partition by substr(id, 22, 1) order by event_message, timestamp) as r22, row_number() over (partition by substr(id, 23, 1) order by event_message, timestamp) as r23, row_number() over (partition by substr(id, 24, 1) order by event_message, timestamp) as r24, row_number() over (partition by substr(id, 25, 1) order by event_message, timestamp) as r25, row_number() over (partition by substr(id, 26, 1) order by event_message, timestamp) as r26, row_number() over (partition by substr(id, 27, 1) order by event_message, timestamp) as r27, row_number() over (partition by substr(id, 28, 1) order by event_message, timestamp) as r28, row_number() over (partition by substr(id, 29, 1) order by event_message, timestamp) as r29, row_number() over (partition by substr(id, 30, 1) order by event_message, timestamp) as r30, row_number() over (partition by substr(id, 31, 1) order by event_message, timestamp) as r31, row_number() over (partition by substr(id, 32, 1) order by event_message, timestamp) as r32, row_number() over (partition by substr(id, 33, 1) order by event_message, timestamp) as r33, row_number() over (partition by substr(id, 34, 1) order by event_message, timestamp) as r34, row_number() over (partition by substr(id, 35, 1) order by event_message, timestamp) as r35, row_number() over (partition by substr(id, 36, 1) order by event_message, timestamp) as r36, row_number() over (partition by substr(id, 37, 1) order by event_message, timestamp) as r37, row_number() over (partition by substr(id, 38, 1) order by event_message, timestamp) as r38, row_number() over (partition by substr(id, 39, 1) order by event_message, timestamp) as r39 from edge_logs limit 1

-- # qualify over a join
select a.id from edge_logs as a, edge_logs as b qualify row_number() over (partition by a.id order by b.event_message) = 1 limit 5

-- # long in list
select count(*) as n from edge_logs where id in ('000000', '000001', '000002', '000003', '000004', '000005', '000006', '000007', '000008', '000009', '00000a', '00000b', '00000c', '00000d', '00000e', '00000f', '000010', '000011', '000012', '000013', '000014', '000015', '000016', '000017', '000018', '000019', '00001a', '00001b', '00001c', '00001d', '00001e', '00001f', '000020', '000021', '000022', '000023', '000024', '000025', '000026', '000027', '000028', '000029', '00002a', '00002b', '00002c', '00002d', '00002e', '00002f', '000030', '000031', '000032', '000033', '000034', '000035', '000036', '000037', '000038', '000039', '00003a', '00003b', '00003c', '00003d', '00003e', '00003f', '000040', '000041', '000042', '000043', '000044', '000045', '000046', '000047', '000048', '000049', '00004a', '00004b', '00004c', '00004d', '00004e', '00004f', '000050', '000051', '000052', '000053', '000054', '000055', '000056', '000057', '000058', '000059', '00005a', '00005b', '00005c', '00005d', '00005e', '00005f', '000060', '000061', '000062', '000063', '000064', '000065', '000066', '000067', '000068', '000069', '00006a', '00006b', '00006c', '00006d', '00006e', '00006f', '000070', '000071', '000072', '000073', '000074', '000075', '000076', '000077', '000078', '000079', '00007a', '00007b', '00007c', '00007d', '00007e', '00007f', '000080', '000081', '000082', '000083', '000084', '000085', '000086', '000087', '000088', '000089', '00008a', '00008b', '00008c', '00008d', '00008e', '00008f', '000090', '000091', '000092', '000093', '000094', '000095', '000096', '000097', '000098', '000099', '00009a', '00009b', '00009c', '00009d', '00009e', '00009f', '0000a0', '0000a1', '0000a2', '0000a3', '0000a4', '0000a5', '0000a6', '0000a7', '0000a8', '0000a9', '0000aa', '0000ab', '0000ac', '0000ad', '0000ae', '0000af', '0000b0', '0000b1', '0000b2', '0000b3', '0000b4', '0000b5', '0000b6', '0000b7', '0000b8', '0000b9', '0000ba', '0000bb', '0000bc', '0000bd', '0000be', '0000bf', '0000c0', '0000c1', '0000c2', '0000c3', '0000c4', '0000c5', '0000c6', '0000c7', '0000c8', '0000c9', '0000ca', '0000cb', '0000cc', '0000cd', '0000ce', '0000cf', '0000d0', '0000d1', '0000d2', '0000d3', '0000d4', '0000d5', '0000d6', '0000d7', '0000d8', '0000d9', '0000da', '0000db', '0000dc', '0000dd', '0000de', '0000df', '0000e0', '0000e1', '0000e2', '0000e3', '0000e4', '0000e5', '0000e6', '0000e7', '0000e8', '0000e9', '0000ea', '0000eb', '0000ec', '0000ed', '0000ee', '0000ef', '0000f0', '0000f1', '0000f2', '0000f3', '0000f4', '0000f5', '0000f6', '0000f7', '0000f8', '0000f9', '0000fa', '0000fb', '0000fc', '0000fd', '0000fe', '0000ff', '000100', '000101', '000102', '000103', '000104', '000105', '000106', '000107', '000108', '000109', '00010a', '00010b', '00010c', '00010d', '00010e', '00010f', '000110', '000111', '000112', '000113', '000114', '000115', '000116', '000117', '000118', '000119', '00011a', '00011b', '00011c', '00011d', '00011e', '00011f', '000120', '000121', '000122', '000123', '000124', '000125', '000126', '000127', '000128', '000129', '00012a', '00012b', '00012c', '00012d', '00012e', '00012f', '000130', '000131', '000132', '000133', '000134', '000135', '000136', '000137', '000138', '000139', '00013a', '00013b', '00013c', '00013d', '00013e', '00013f', '000140', '000141', '000142', '000143', '000144', '000145', '000146', '000147', '000148', '000149', '00014a', '00014b', '00014c', '00014d', '00014e', '00014f', '000150', '000151', '000152', '000153', '000154', '000155', '000156', '000157', '000158', '000159', '00015a', '00015b', '00015c', '00015d', '00015e', '00015f', '000160', '000161', '000162', '000163', '000164', '000165', '000166', '000167', '000168', '000169', '00016a', '00016b', '00016c', '00016d', '00016e', '00016f', '000170', '000171', '000172', '000173', '000174', '000175', '000176', '000177', '000178', '000179', '00017a', '00017b', '00017c', '00017d', '00017e', '00017f', '000180', '000181', '000182', '000183', '000184', '000185', '000186', '000187', '000188', '000189', '00018a', '00018b', '00018c', '00018d', '00018e', '00018f', '000190', '000191', '000192', '000193', '000194', '000195', '000196', '000197', '000198', '000199', '00019a', '00019b', '00019c', '00019d', '00019e', '00019f', '0001a0', '0001a1', '0001a2', '0001a3', '0001a4', '0001a5', '0001a6', '0001a7', '0001a8', '0001a9', '0001aa', '0001ab', '0001ac', '0001ad', '0001ae', '0001af', '0001b0', '0001b1', '0001b2', '0001b3', '0001b4', '0001b5', '0001b6', '0001b7', '0001b8', '0001b9', '0001ba', '0001bb', '0001bc', '0001bd', '0001be', '0001bf', '0001c0', '0001c1', '0001c2', '0001c3', '0001c4', '0001c5', '0001c6', '0001c7', '0001c8', '0001c9', '0001ca', '0001cb', '0001cc', '0001cd', '0001ce', '0001cf', '0001d0', '0001d1', '0001d2', '0001d3', '0001d4', '0001d5', '0001d6', '0001d7', '0001d8', '0001d9', '0001da', '0001db', '0001dc', '0001dd', '0001de', '0001df', '0001e0', '0001e1', '0001e2', '0001e3', '0001e4', '0001e5', '0001e6', '0001e7', '0001e8', '0001e9', '0001ea', '0001eb', '0001ec', '0001ed', '0001ee', '0001ef', '0001f0', '0001f1', '0001f2', '0001f3', '0001f4', '0001f5', '0001f6', '0001f7', '0001f8', '0001f9', '0001fa', '0001fb', '0001fc', '0001fd', '0001fe', '0001ff', '000200', '000201', '000202', '000203', '000204', '000205', '000206', '000207', '000208', '000209', '00020a', '00020b', '00020c', '00020d', '00020e', '00020f', '000210', '000211', '000212', '000213', '000214', '000215', '000216', '000217', '000218', '000219', '00021a', '00021b', '00021c', '00021d', '00021e', '00021f', '000220', '000221', '000222', '000223', '000224', '000225', '000226', '000227', '000228', '000229', '00022a', '00022b', '00022c', '00022d', '00022e', '00022f', '000230', '000231', '000232', '000233', '000234', '000235', '000236', '000237', '000238', '000239', '00023a', '00023b', '00023c', '00023d', '00023e', '00023f', '000240', '000241', '000242', '000243', '000244', '000245', '000246', '000247', '000248', '000249', '00024a', '00024b', '00024c', '00024d', '00024e', '00024f', '000250', '000251', '000252', '000253', '000254', '000255', '000256', '000257', '000258', '000259', '00025a', '00025b', '00025c', '00025d', '00025e', '00025f', '000260', '000261', '000262', '000263', '000264', '000265', '000266', '000267', '000268', '000269', '00026a', '00026b', '00026c', '00026d', '00026e', '00026f', '000270', '000271', '000272', '000273', '000274', '000275', '000276', '000277', '000278', '000279', '00027a', '00027b', '00027c', '00027d', '00027e', '00027f', '000280', '000281', '000282', '000283', '000284', '000285', '000286', '000287', '000288', '000289', '00028a', '00028b', '00028c', '00028d', '00028e', '00028f', '000290', '000291', '000292', '000293', '000294', '000295', '000296', '000297', '000298', '000299', '00029a', '00029b', '00029c', '00029d', '00029e', '00029f', '0002a0', '0002a1', '0002a2', '0002a3', '0002a4', '0002a5', '0002a6', '0002a7', '0002a8', '0002a9', '0002aa', '0002ab', '0002ac', '0002ad', '0002ae', '0002af', '0002b0', '0002b1', '0002b2', '0002b3', '0002b4', '0002b5', '0002b6', '0002b7', '0002b8', '0002b9', '0002ba', '0002bb', '0002bc', '0002bd', '0002be', '0002bf', '0002c0', '0002c1', '0002c2', '0002c3', '0002c4', '0002c5', '0002c6', '0002c7', '0002c8', '0002c9', '0002ca', '0002cb', '0002cc', '0002cd', '0002ce', '0002cf', '0002d0', '0002d1', '0002d2', '0002d3', '0002d4', '0002d5', '0002d6', '0002d7', '0002d8', '0002d9', '0002da', '0002db', '0002dc', '0002dd', '0002de', '0002df', '0002e0', '0002e1', '0002e2', '0002e3', '0002e4', '0002e5', '0002e6', '0002e7', '0002e8', '0002e9', '0002ea', '0002eb', '0002ec', '0002ed', '0002ee', '0002ef', '0002f0', '0002f1', '0002f2', '0002f3', '0002f4', '0002f5', '0002f6', '0002f7', '0002f8', '0002f9', '0002fa', '0002fb', '0002fc', '0002fd', '0002fe', '0002ff', '000300', '000301', '000302', '000303', '000304', '000305', '000306', '000307', '000308', '000309', '00030a', '00030b', '00030c', '00030d', '00030e', '00030f', '000310', '000311', '000312', '000313', '000314', '000315', '000316', '000317', '000318', '000319', '00031a', '00031b', '00031c', '00031d', '00031e', '00031f', '000320', '000321', '000322', '000323', '000324', '000325', '000326', '000327', '000328', '000329', '00032a', '00032b', '00032c', '00032d', '00032e', '00032f', '000330', '000331', '000332', '000333', '000334', '000335', '000336', '000337', '000338', '000339', '00033a', '00033b', '00033c', '00033d', '00033e', '00033f', '000340', '000341', '000342', '000343', '000344', '000345', '000346', '000347', '000348', '000349', '00034a', '00034b', '00034c', '00034d', '00034e', '00034f', '000350', '000351', '000352', '000353', '000354', '000355', '000356', '000357', '000358', '000359', '00035a', '00035b', '00035c', '00035d', '00035e', '00035f', '000360', '000361', '000362', '000363', '000364', '000365', '000366', '000367', '000368', '000369', '00036a', '00036b', '00036c', '00036d', '00036e', '00036f', '000370', '000371', '000372', '000373', '000374', '000375', '000376', '000377', '000378', '000379', '00037a', '00037b', '00037c', '00037d', '00037e', '00037f', '000380', '000381', '000382', '000383', '000384', '000385', '000386', '000387', '000388', '000389', '00038a', '00038b', '00038c', '00038d', '00038e', '00038f', '000390', '000391', '000392', '000393', '000394', '000395', '000396', '000397', '000398', '000399', '00039a', '00039b', '00039c', '00039d', '00039e', '00039f', '0003a0', '0003a1', '0003a2', '0003a3', '0003a4', '0003a5', '0003a6', '0003a7', '0003a8', '0003a9', '0003aa', '0003ab', '0003ac', '0003ad', '0003ae', '0003af', '0003b0', '0003b1', '0003b2', '0003b3', '0003b4', '0003b5', '0003b6', '0003b7', '0003b8', '0003b9', '0003ba', '0003bb', '0003bc', '0003bd', '0003be', '0003bf', '0003c0', '0003c1', '0003c2', '0003c3', '0003c4', '0003c5', '0003c6', '0003c7', '0003c8', '0003c9', '0003ca', '0003cb', '0003cc', '0003cd', '0003ce', '0003cf', '0003d0', '0003d1', '0003d2', '0003d3', '0003d4', '0003d5', '0003d6', '0003d7', '0003d8', '0003d9', '0003da', '0003db', '0003dc', '0003dd', '0003de', '0003df', '0003e0', '0003e1', '0003e2', '0003e3', '0003e4', '0003e5', '0003e6', '0003e7')

-- # in a large table
select count(*) as n from edge_logs where event_message in (select event_message from edge_logs) or id not in (select event_message from edge_logs)

-- # correlated counts
select max((select count(*) from edge_logs as b where b.event_message = a.event_message)) as n from edge_logs as a

-- # correlated by inequality
select max((select count(*) from edge_logs as b where b.timestamp < a.timestamp)) as n from edge_logs as a

-- # exists by inequality
select count(*) as n from edge_logs as a where not exists (select 1 from edge_logs as b where b.event_message > a.event_message and b.id > a.id)

-- # every row
select * from edge_logs limit 1000

-- # large offset
select id from edge_logs order by id limit 1000 offset 100000

-- # except of everything
select event_message, id from edge_logs except distinct select event_message, id from edge_logs

-- # intersect of joins
select a.id from edge_logs as a, edge_logs as b intersect distinct select c.id from edge_logs as c, edge_logs as d

-- # hashes
select max(to_hex(sha512(to_hex(sha512(to_hex(sha512(repeat(rpad(event_message, 1000), 100)))))))) as x from edge_logs

-- # json
select max(length(to_json_string(metadata))) as n, count(distinct to_json_string(metadata)) as d from edge_logs

-- # json of long texts
select max(json_value(parse_json(concat('{"a":"', repeat('0123456789', 1000), '"}')), '$.a')) as x from edge_logs

-- # timestamps generated
select count(*) as n from edge_logs, unnest(generate_timestamp_array(timestamp '2020-01-01', timestamp '2020-01-10', interval 1 minute)) as t

-- # case chain
select count(case when event_message like '%0%' then 0 when event_message like '%1%' then 1 when event_message like '%2%' then 2 when event_message like '%3%' then 3 when event_message like '%4%' then 4 when event_message like '%5%' then 5 when event_message like '%6%' then 6 when event_message like '%7%' then 7 when event_message like '%8%' then 8 when event_message like '%9%' then 9 when event_message like '%10%' then 10 when event_message like '%11%' then 11 when event_message like '%12%' then 12 when event_message like '%13%' then 13 when event_message like '%14%' then 14 when event_message like '%15%' then 15 when event_message like '%16%' then 16 when event_message like '%17%' then 17 when event_message like '%18%' then 18 when event_message like '%19%' then 19 when event_message like '%20%' then 20 when event_message like '%21%' then 21 when event_message like '%22%' then 22 when event_message like '%23%' then 23 when event_message like '%24%' then 24 when event_message like '%25%' then 25 when event_message like '%26%' then 26 when event_message like '%27%' then 27 when event_message like '%28%' then 28 when event_message like '%29%' then 29 when event_message like '%30%' then 30 when event_message like '%31%' then 31 when event_message like '%32%' then 32 when event_message like '%33%' then 33 when event_message like '%34%' then 34 when event_message like '%35%' then 35 when event_message like '%36%' then 36 when event_message like '%37%' then 37 when event_message like '%38%' then 38 when event_message like '%39%' then 39 when event_message like '%40%' then 40 when event_message like '%41%' then 41 when event_message like '%42%' then 42 when event_message like '%43%' then 43 when event_message like '%44%' then 44 when event_message like '%45%' then 45 when event_message like '%46%' then 46 when event_message like '%47%' then 47 when event_message like '%48%' then 48 when event_message like '%49%' then 49 when event_message like '%50%' then 50 when event_message like '%51%' then 51 when event_message like '%52%' then 52 when event_message like '%53%' then 53 when event_message like '%54%' then 54 when event_message like '%55%' then 55 when event_message like '%56%' then 56 when event_message like '%57%' then 57 when event_message like '%58%' then 58 when event_message like '%59%' then 59 when event_message like '%60%' then 60 when event_message like '%61%' then 61 when event_message like '%62%' then 62 when event_message like '%63%' then 63 when event_message like '%64%' then 64 when event_message like '%65%' then 65 when event_message like '%66%' then 66 when event_message like '%67%' then 67 when event_message like '%68%' then 68 when event_message like '%69%' then 69 when event_message like '%70%' then 70 when event_message like '%71%' then 71 when event_message like '%72%' then 72 when event_message like '%73%' then 73 when event_message like '%74%' then 74 when event_message like '%75%' then 75 when event_message like '%76%' then 76 when event_message like '%77%' then 77 when event_message like '%78%' then 78 when event_message like '%79%' then 79 when event_message like '%80%' then 80 when event_message like '%81%' then 81 when event_message like '%82%' then 82 when event_message like '%83%' then 83 when event_message like '%84%' then 84 when event_message like '%85%' then 85 when event_message like '%86%' then 86 when event_message like '%87%' then 87 when event_message like '%88%' then 88 when event_message like '%89%' then 89 when event_message like '%90%' then 90 when event_message like '%91%' then 91 when event_message like '%92%' then 92 when event_message like '%93%' then 93 when event_message like '%94%' then 94 when event_message like '%95%' then 95 when event_message like '%96%' then 96 when event_message like '%97%' then 97 when event_message like '%98%' then 98 when event_message like '%99%' then 99 when event_message like '%100%' then 100 when event_message like '%101%' then 101 when event_message like '%102%' then 102 when event_message like '%103%' then 103 when event_message like '%104%' then 104 when event_message like '%105%' then 105 when event_message like '%106%' then 106 when event_message like '%107%' then 107 when event_message like '%108%' then 108 when event_message like '%109%' then 109 when event_message like '%110%' then 110 when event_message like '%111%' then 111 when event_message like '%112%' then 112 when event_message like '%113%' then 113 when event_message like '%114%' then 114 when event_message like '%115%' then 115 when event_message like '%116%' then 116 when event_message like '%117%' then 117 when event_message like '%118%' then 118 when event_message like '%119%' then 119 when event_message like '%120%' then 120 when event_message like '%121%' then 121 when event_message like '%122%' then 122 when event_message like '%123%' then 123 when event_message like '%124%' then 124 when event_message like '%125%' then 125 when event_message like '%126%' then 126 when event_message like '%127%' then 127 when event_message like '%128%' then 128 when event_message like '%129%' then 129 when event_message like '%130%' then 130 when event_message like '%131%' then 131 when event_message like '%132%' then 132 when event_message like '%133%' then 133 when event_message like '%134%' then 134 when event_message like '%135%' then 135 when event_message like '%136%' then 136 when event_message like '%137%' then 137 when event_message like '%138%' then 138 when event_message like '%139%' then 139 when event_message like '%140%' then 140 when event_message like '%141%' then 141 when event_message like '%142%' then 142 when event_message like '%143%' then 143 when event_message like '%144%' then 144 when event_message like '%145%' then 145 when event_message like '%146%' then 146 when event_message like '%147%' then 147 when event_message like '%148%' then 148 when event_message like '%149%' then 149 when event_message like '%150%' then 150 when event_message like '%151%' then 151 when event_message like '%152%' then 152 when event_message like '%153%' then 153 when event_message like '%154%' then 154 when event_message like '%155%' then 155 when event_message like '%156%' then 156 when event_message like '%157%' then 157 when event_message like '%158%' then 158 when event_message like '%159%' then 159 when event_message like '%160%' then 160 when event_message like '%161%' then 161 when event_message like '%162%' then 162 when event_message like '%163%' then 163 when event_message like '%164%' then 164 when event_message like '%165%' then 165 when event_message like '%166%' then 166 when event_message like '%167%' then 167 when event_message like '%168%' then 168 when event_message like '%169%' then 169 when event_message like '%170%' then 170 when event_message like '%171%' then 171 when event_message like '%172%' then 172 when event_message like '%173%' then 173 when event_message like '%174%' then 174 when event_message like '%175%' then 175 when event_message like '%176%' then 176 when event_message like '%177%' then 177 when event_message like '%178%' then 178 when event_message like '%179%' then 179 when event_message like '%180%' then 180 when event_message like '%181%' then 181 when event_message like '%182%' then 182 when event_message like '%183%' then 183 when event_message like '%184%' then 184 when event_message like '%185%' then 185 when event_message like '%186%' then 186 when event_message like '%187%' then 187 when event_message like '%188%' then 188 when event_message like '%189%' then 189 end) as n from edge_logs a, unnest(generate_array(1, 100)) as x

-- # quantiles of a join
select approx_quantiles(length(a.id || b.id), 1000) as x from edge_logs as a, edge_logs as b

-- # max_by of a join
select max_by(a.event_message || b.event_message, a.id || b.id) as x from edge_logs as a, edge_logs as b

-- # no insert
insert into edge_logs (id) values ('x')

-- # no create
create table t as select 1

-- # no copy
copy (select 1) to '/tmp/x'

-- # no set
set x = 1

-- # no show
show tables

-- # no information schema
select * from information_schema.tables

-- # no file
select * from '/etc/passwd'

-- # no read_parquet
select * from read_parquet('/etc/passwd')

-- # no generate_series
select * from generate_series(1, 1000000000)

-- # no explain
explain select 1

-- # no drop
drop table edge_logs

-- # no two statements
select 1; select 2

-- # no stream
select * from edge

-- # no delete
delete from edge_logs where true

-- # no sum of 300 terms
select 1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1 as n from edge_logs limit 1

-- # no 32 arms of everything
select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs union all select id, event_message from edge_logs order by event_message desc limit 10

-- # no 31 arms sorted
(select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) union all (select event_message as m from edge_logs) order by m limit 5 offset 100000

-- # no array_agg of arrays
select array_agg(metadata) as x from edge_logs

-- # moving mean of all rows
select max(m) as m from (select avg(length(event_message) / 3) over (order by timestamp rows between 100000 preceding and current row) as m from edge_logs)

-- # moving spread of all rows
select max(m) as m from (select stddev(length(event_message) / 3) over (order by timestamp rows between 50000 preceding and 50000 following) as m from edge_logs)

-- # moving spread to the end
select max(m) as m from (select corr(length(event_message), length(id)) over (order by timestamp rows between current row and unbounded following) as m from edge_logs)

-- # moving text of everything
select max(length(s)) as n from (select string_agg(event_message) over (order by timestamp rows between 100000 preceding and 100000 following) as s from edge_logs)

-- # text of everything beside each row
select max(length(s)) as n from (select string_agg(event_message) over () as s from edge_logs)

-- # running text
select max(length(s)) as n from (select string_agg(event_message) over (order by timestamp) as s from edge_logs)

-- # moving lists
select max(array_length(s)) as n from (select array_agg(event_message) over (order by timestamp rows between 10000 preceding and current row) as s from edge_logs)

-- # list of everything beside each row
select max(array_length(s)) as n from (select array_agg(event_message) over () as s from edge_logs)

-- # sums of the weights of everything
select approx_top_sum(event_message, length(event_message), 10000) as s from edge_logs

-- # different texts beside each row
select max(length(s)) as n from (select string_agg(distinct event_message) over () as s from edge_logs)

-- # a long text beside each row
select max(length(s)) as n from (select max(repeat(event_message, 1000)) over () as s from edge_logs)

-- # COALESCE within COALESCE, as deep as it may be
select coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(id, 'x0'), 'x1'), 'x2'), 'x3'), 'x4'), 'x5'), 'x6'), 'x7'), 'x8'), 'x9'), 'x10'), 'x11') as x from edge_logs

-- # a condition on a column of sub-queries that double it
select c + c as c from (select c + c as c from (select c + c as c from (select c + c as c from (select c + c as c from (select c + c as c from (select c + c as c from (select c + c as c from (select c + c as c from (select c + c as c from (select c + c as c from (select c + c as c from (select char_length(id) as c from edge_logs)))))))))))) where c > 3
