-- How far each source got with telling who may read what and who is in which group,
-- apart from its documents. It is told in passes; those from the beginning to the
-- first that ends well are one account.
CREATE TABLE access_accounts (
	source      TEXT PRIMARY KEY REFERENCES sources (name) ON DELETE CASCADE,
	cursor      BLOB NOT NULL DEFAULT x'',
	pass        INTEGER NOT NULL DEFAULT 0, -- number of the running or the last pass
	resumed     INTEGER NOT NULL DEFAULT 0, -- that pass began in the middle
	started     INTEGER NOT NULL,           -- when that pass began
	open        INTEGER NOT NULL DEFAULT 1, -- an account from the beginning has not ended yet
	-- What the last account told of: all groups, the readers of all documents. What
	-- changed since was told by every pass that ended well.
	groups_known    INTEGER NOT NULL DEFAULT 0,
	documents_known INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- What the open account, or the running pass, has named so far.
CREATE TABLE access_told (
	source   TEXT NOT NULL REFERENCES access_accounts (source) ON DELETE CASCADE,
	is_group INTEGER NOT NULL,
	name     TEXT NOT NULL,    -- id of the document, or the group's principal
	pass     INTEGER NOT NULL, -- the last that named it
	PRIMARY KEY (source, is_group, name)
) STRICT, WITHOUT ROWID;
