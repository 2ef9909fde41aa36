INSERT INTO sources (name, connector, config, access, every, origin) VALUES ('wiki', 'files', '{"dir":"docs"}', '["workspace"]', 900000000000, 'config');
INSERT INTO cursors (source, cursor, committed, held) VALUES ('wiki', x'01', 1700000000000000, 2);
INSERT INTO documents (n, id, source, title, url, kind, media_type, authors, created, updated, meta, files, hidden, language, host_access, content_hash, facts_hash)
VALUES (7, 'wiki/leave', 'wiki', 'Leave', 'https://example.com/leave', 'page', 'text/markdown', '["Ana"]', 1600000000000000, 1650000000000000, '{"space":"hr"}', '[]', 0, 'en', 1, zeroblob(32), zeroblob(32)),
       (8, 'wiki/pay', 'wiki', 'Pay', 'https://example.com/pay', 'page', 'text/markdown', '[]', NULL, NULL, '{}', '[]', 1, 'en', 0, zeroblob(32), zeroblob(32));
INSERT INTO passages (id, document, ordinal, heading, page, text) VALUES (40, 7, 0, 'How much', 1, 'Thirty days of leave a year.'), (41, 8, 0, '', 0, 'On the last day of the month.');
INSERT INTO access (document, principal) VALUES (7, 'workspace'), (8, 'user:ann@example.com');
INSERT INTO tombstones (document) VALUES ('wiki/gone');
INSERT INTO failures (source, external_id, title, kind, detail, content_hash, first, last) VALUES ('wiki', 'broken', 'Broken', 'invalid', 'no text', zeroblob(32), 1, 2);
INSERT INTO sync_runs (source, reason, started, finished, counts, error_kind, error, notes) VALUES ('wiki', 'asked', 1700000000000000, 1700000001000000, '{}', '', '', '[]');
INSERT INTO threads (id, place, started) VALUES ('slack:T1/C1/1', 'slack:T1/C1', 1700000000000000);
INSERT INTO turns (n, id, thread, parent, place, class, scope, asker, question, answer, started, trace)
VALUES (3, 'first', 'slack:T1/C1/1', '', 'slack:T1/C1', 'public_channel', '["workspace"]', 'ann@example.com', 'How much leave is there?', '{"answer":"Thirty days [1].","mode":"quotes","turn_id":"first","took_ms":5}', 1700000000000000, NULL);
INSERT INTO citations (turn, position, number, title, url, document_id, passage, page, passage_id)
VALUES (3, 0, 1, 'Leave', 'https://example.com/leave', 'wiki/leave', 'Thirty days of leave a year.', 1, 40);
