-- What the embedded engine lacks is refused with what to write instead
select normalize_and_casefold(event_message) as b, net.reg_domain(event_message) as c, net.public_suffix(event_message) as d from edge_logs
