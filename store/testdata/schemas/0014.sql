INSERT INTO jobs (source, kind, due, owner, lease_until, started) VALUES ('wiki', 'sync', 1, 'gone', 2, 1);
