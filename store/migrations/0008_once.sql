-- Events that happen once for good, such as a canned answer in its thread.
CREATE TABLE lasting_events (
	key TEXT PRIMARY KEY,
	at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
