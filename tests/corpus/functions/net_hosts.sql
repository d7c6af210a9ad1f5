-- NET.HOST and addresses
select x, net.host(x) as host, to_hex(net.safe_ip_from_string(x)) as ip from unnest(['http://User@Example.com:8080/a?b#c', '1.2.3.4', '2001:db8::ff', '::ffff:1.2.3.4', 'a b', '', null]) as x order by x
