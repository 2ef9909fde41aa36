-- What a model says of where a passage stands in its document. It is searched with
-- the passage and shown nowhere.
ALTER TABLE passages ADD COLUMN context TEXT NOT NULL DEFAULT '';

-- The number of the recipe that a document's contexts were made with; 0 for none.
ALTER TABLE documents ADD COLUMN contexts INTEGER NOT NULL DEFAULT 0;
CREATE INDEX documents_by_contexts ON documents (contexts, n);

-- The model's words by the hash of all that it was asked, so that nothing is paid for
-- twice. They stand here before the document takes them.
CREATE TABLE passage_contexts (
	hash     BLOB PRIMARY KEY,
	document INTEGER NOT NULL REFERENCES documents (n) ON DELETE CASCADE,
	text     TEXT NOT NULL, -- may be empty
	reason   TEXT NOT NULL  -- why there is none; empty if the model answered
) STRICT, WITHOUT ROWID;
CREATE INDEX passage_contexts_by_document ON passage_contexts (document);
