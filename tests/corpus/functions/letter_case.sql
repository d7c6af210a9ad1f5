-- UPPER and LOWER outside of ASCII
select x, upper(x) as u, lower(x) as l, initcap(x) as i from unnest(['straße', 'İstanbul', 'ÅNGSTRÖM', 'ﬁn', 'mixed CASE-word_x', '', null]) as x order by x
