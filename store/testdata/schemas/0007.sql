INSERT INTO seen_events (key, at) VALUES ('slack:T1/C1/1', 1700000000000000);
INSERT INTO buckets (key, left, at) VALUES ('person:slack:T1/U1', 3.5, 1700000000000000);
INSERT INTO posted (id, turn, platform, place, thread, account, refs, private, open, extra, updated) VALUES ('p1', 'first', 'slack', 'slack:T1/C1', 'slack:T1/C1/1', 'slack:T1/U1', '["2"]', 0, 0, '', 1);
INSERT INTO votes (turn, account, up, reason, at) VALUES ('first', 'slack:T1/U1', 1, '', 1);
INSERT INTO help_requests (id, turn, place, account, opened, by, extra) VALUES ('h1', 'first', 'slack:T1/C1', 'slack:T1/U1', 1, '', '');
INSERT INTO quiet_threads (thread, at) VALUES ('slack:T1/C1/9', 1);
