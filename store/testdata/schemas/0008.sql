INSERT INTO lasting_events (key, at) VALUES ('canned:slack:T1/C1/1:hello', 1);
