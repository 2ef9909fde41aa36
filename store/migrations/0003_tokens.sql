-- Bearer tokens of the HTTP interface. The token itself is not kept.
CREATE TABLE tokens (
	hash      TEXT PRIMARY KEY, -- SHA-256 in hexadecimal
	id        TEXT NOT NULL UNIQUE,
	name      TEXT NOT NULL UNIQUE,
	as_email  TEXT NOT NULL,
	created   INTEGER NOT NULL,
	last_used INTEGER
) STRICT, WITHOUT ROWID;
