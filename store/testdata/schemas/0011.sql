INSERT INTO hidden_documents (document, account, at) VALUES ('wiki/pay', 'slack:T1/U1', 1);
INSERT INTO document_votes (document, account, up, turn, at) VALUES ('wiki/leave', 'slack:T1/U1', 1, 'first', 1);
