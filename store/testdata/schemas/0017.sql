INSERT INTO folder_readers (source, folder, readers, named, settled) VALUES ('wiki', 'hr', '["group:wiki/hr"]', 1, 1);
