-- Who may read the documents of a folder, all of them alike, as a source told it apart
-- from them.
CREATE TABLE folder_readers (
	source  TEXT NOT NULL REFERENCES sources (name) ON DELETE CASCADE,
	folder  TEXT NOT NULL,    -- the connector's id
	readers TEXT NOT NULL,    -- JSON list of principals, empty for nobody
	named   INTEGER NOT NULL, -- by the running or the last pass
	settled INTEGER NOT NULL, -- no document was stated otherwise since
	PRIMARY KEY (source, folder)
) STRICT, WITHOUT ROWID;
