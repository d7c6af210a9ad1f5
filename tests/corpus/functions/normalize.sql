-- NORMALIZE composes letters and marks or takes them apart; the forms with K replace letters by plainer ones
select normalize('A\u030a e\u0301 \ufb01') as a, normalize('\u00c5\ufb01\u00e9', nfd) as b, to_code_points(normalize('\u1e9b\u0323', nfc)) as c, normalize(id, nfc) as d, normalize(cast(null as string), nfd) as e from edge_logs order by d
