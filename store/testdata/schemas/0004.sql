INSERT INTO agents (name, definition) VALUES ('hr', '{"instructions":"Be kind."}');
