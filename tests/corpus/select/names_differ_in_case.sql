-- Names compare without case
SELECT ID, Event_Message FROM Edge_Logs ORDER BY TIMESTAMP DESC LIMIT 1
