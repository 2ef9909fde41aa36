INSERT INTO access_accounts (source, started, open) VALUES ('wiki', 1700000000000000, 0);
INSERT INTO access_told (source, is_group, name, pass) VALUES ('wiki', 0, 'wiki/pay', 1);
