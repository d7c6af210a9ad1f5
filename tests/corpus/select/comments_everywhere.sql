-- Comments between all tokens
select /* a */ id -- b
 from # c
 edge_logs /* d */ order /**/ by id
