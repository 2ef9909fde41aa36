UPDATE passages SET anchor = 'how-much' WHERE id = 40;
INSERT INTO summaries (id, thread, last, covers, text, class, scope, asker, created)
VALUES ('s1', 'slack:T1/C1/1', 'first', '["first"]', 'They asked about leave.', 'public_channel', '["workspace"]', '', 1700000002000000);
