-- Keywords in any case
SeLeCt ID, TIMESTAMP fRoM edge_logs OrDeR bY iD, Timestamp
