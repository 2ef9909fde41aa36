-- How often a source is listed and asked who may read what, apart from being read,
-- and how old what is known of it may become, in nanoseconds; 0 is the default.
ALTER TABLE sources ADD COLUMN list_every INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sources ADD COLUMN access_every INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sources ADD COLUMN fresh_within INTEGER NOT NULL DEFAULT 0;

-- What is done with sources again and again. A row is made by its first run. Times
-- are in microseconds.
CREATE TABLE jobs (
	source      TEXT NOT NULL,
	kind        TEXT NOT NULL,              -- sync, list or access
	due         INTEGER,
	owner       TEXT NOT NULL DEFAULT '',   -- the process that runs it; empty if none does
	lease_until INTEGER,                    -- after that nobody does, whatever owner says
	started     INTEGER,                    -- of the newest run
	ended       INTEGER,                    -- null while it runs
	succeeded   INTEGER,                    -- when the newest run that ended well began
	attempts    INTEGER NOT NULL DEFAULT 0, -- failures in a row
	error_kind  TEXT NOT NULL DEFAULT '',
	error       TEXT NOT NULL DEFAULT '',
	progress    TEXT NOT NULL DEFAULT '{}',
	PRIMARY KEY (source, kind)
) STRICT, WITHOUT ROWID;
