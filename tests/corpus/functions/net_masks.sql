-- Masks and parts of addresses
select n, net.ip_to_string(net.ip_trunc(net.ip_from_string('203.0.113.77'), n)) as part, net.ip_to_string(net.ip_net_mask(4, n)) as mask, net.ipv4_to_int64(net.ipv4_from_int64(16909060 + n)) as number, safe.net.ip_to_string(b'x') as none from unnest([0, 8, 25, 32]) as n order by n
