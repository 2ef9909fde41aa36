INSERT INTO tokens (hash, id, name, as_email, created) VALUES ('00', 't1', 'laptop', 'ann@example.com', 1700000000000000);
