CREATE TABLE meta (
	key   TEXT PRIMARY KEY,
	value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sources (
	name      TEXT PRIMARY KEY,
	connector TEXT NOT NULL,
	config    TEXT NOT NULL,    -- JSON object
	access    TEXT NOT NULL,    -- JSON list of principals, for documents with host_access
	every     INTEGER NOT NULL, -- nanoseconds
	origin    TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- How far each source got. All times in this file are microseconds since 1970.
CREATE TABLE cursors (
	source    TEXT PRIMARY KEY REFERENCES sources (name) ON DELETE CASCADE,
	cursor    BLOB NOT NULL DEFAULT x'',
	committed INTEGER,                    -- when the cursor was last committed
	held      INTEGER NOT NULL DEFAULT 0  -- deletions that the last listing left waiting
) STRICT, WITHOUT ROWID;

-- generation counts versions of the content, facts_generation of everything a
-- filter decides on; the two next to them say what the index has confirmed.
CREATE TABLE documents (
	n                INTEGER PRIMARY KEY AUTOINCREMENT,
	id               TEXT NOT NULL UNIQUE, -- source/external id
	source           TEXT NOT NULL REFERENCES sources (name),
	title            TEXT NOT NULL,
	url              TEXT NOT NULL,
	kind             TEXT NOT NULL,
	media_type       TEXT NOT NULL,
	authors          TEXT NOT NULL, -- JSON list
	created          INTEGER,
	updated          INTEGER,
	meta             TEXT NOT NULL, -- JSON object
	files            TEXT NOT NULL, -- JSON list
	hidden           INTEGER NOT NULL,
	language         TEXT NOT NULL,
	host_access      INTEGER NOT NULL,
	content_hash     BLOB NOT NULL,
	facts_hash       BLOB NOT NULL,
	generation       INTEGER NOT NULL DEFAULT 1,
	indexed          INTEGER NOT NULL DEFAULT 0,
	facts_generation INTEGER NOT NULL DEFAULT 1,
	facts_indexed    INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX documents_by_source ON documents (source, id);
CREATE INDEX documents_not_indexed ON documents (n) WHERE indexed < generation;
CREATE INDEX documents_facts_not_indexed ON documents (n) WHERE facts_indexed < facts_generation;

-- Ids are never given twice, so that a stale index entry cannot point at another passage.
CREATE TABLE passages (
	id       INTEGER PRIMARY KEY AUTOINCREMENT,
	document INTEGER NOT NULL REFERENCES documents (n) ON DELETE CASCADE,
	ordinal  INTEGER NOT NULL,
	heading  TEXT NOT NULL,
	page     INTEGER NOT NULL,
	text     TEXT NOT NULL,
	UNIQUE (document, ordinal)
) STRICT;

CREATE TABLE access (
	document  INTEGER NOT NULL REFERENCES documents (n) ON DELETE CASCADE,
	principal TEXT NOT NULL,
	PRIMARY KEY (document, principal)
) STRICT, WITHOUT ROWID;

-- Deleted documents whose deletion the index has not confirmed.
CREATE TABLE tombstones (
	document TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE failures (
	source       TEXT NOT NULL REFERENCES sources (name) ON DELETE CASCADE,
	external_id  TEXT NOT NULL,
	title        TEXT NOT NULL,
	kind         TEXT NOT NULL,
	detail       TEXT NOT NULL,
	content_hash BLOB NOT NULL, -- what was tried
	tries        INTEGER NOT NULL DEFAULT 1,
	first        INTEGER NOT NULL,
	last         INTEGER NOT NULL,
	PRIMARY KEY (source, external_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE sync_runs (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	source     TEXT NOT NULL REFERENCES sources (name) ON DELETE CASCADE,
	reason     TEXT NOT NULL,
	started    INTEGER NOT NULL,
	finished   INTEGER,
	counts     TEXT NOT NULL, -- JSON object
	error_kind TEXT NOT NULL,
	error      TEXT NOT NULL,
	notes      TEXT NOT NULL  -- JSON list
) STRICT;
CREATE INDEX sync_runs_by_source ON sync_runs (source, id);

CREATE TABLE threads (
	id      TEXT PRIMARY KEY,
	place   TEXT NOT NULL,
	started INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE turns (
	n        INTEGER PRIMARY KEY,
	id       TEXT NOT NULL UNIQUE,
	thread   TEXT REFERENCES threads (id), -- null outside of a thread
	parent   TEXT NOT NULL,                -- id of the turn before it, or empty
	place    TEXT NOT NULL,
	class    TEXT NOT NULL,
	scope    TEXT NOT NULL,                -- JSON list of principals
	asker    TEXT NOT NULL,
	question TEXT NOT NULL,
	answer   TEXT NOT NULL,                -- JSON answer object, without its citations
	started  INTEGER NOT NULL,
	trace    BLOB
) STRICT;
CREATE INDEX turns_by_thread ON turns (thread, started);

CREATE TABLE citations (
	turn        INTEGER NOT NULL REFERENCES turns (n) ON DELETE CASCADE,
	position    INTEGER NOT NULL,
	number      INTEGER NOT NULL,
	title       TEXT NOT NULL,
	url         TEXT NOT NULL,
	document_id TEXT NOT NULL,
	passage     TEXT NOT NULL,    -- the text as it was shown
	page        INTEGER NOT NULL,
	passage_id  INTEGER NOT NULL, -- may be gone from passages by now
	PRIMARY KEY (turn, position)
) STRICT, WITHOUT ROWID;
