UPDATE turns SET account = 'slack:T1/U1', agent = 'hr' WHERE id = 'first';
INSERT OR IGNORE INTO turn_documents (turn, position, document) VALUES (3, 0, 'wiki/leave');
