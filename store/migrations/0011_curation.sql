-- Whether the connector itself says that a document is hidden; hidden is that, or
-- that a curator hid it, which no sync undoes.
ALTER TABLE documents ADD COLUMN stated_hidden INTEGER NOT NULL DEFAULT 0;
UPDATE documents SET stated_hidden = hidden;

-- Documents that curators took out of search. Kept by id, so that one that goes and
-- comes again stays out.
CREATE TABLE hidden_documents (
	document TEXT PRIMARY KEY,
	account  TEXT NOT NULL,
	at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What curators think of documents, for ranking.
CREATE TABLE document_votes (
	document TEXT NOT NULL,
	account  TEXT NOT NULL,
	up       INTEGER NOT NULL,
	turn     TEXT NOT NULL, -- in whose answer it stood
	at       INTEGER NOT NULL,
	PRIMARY KEY (document, account)
) STRICT, WITHOUT ROWID;
