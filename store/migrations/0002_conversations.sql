-- What opens a passage inside its document's URL.
ALTER TABLE passages ADD COLUMN anchor TEXT NOT NULL DEFAULT '';

-- The tool calls of a turn, a JSON list; their results are not kept.
ALTER TABLE turns ADD COLUMN calls TEXT NOT NULL DEFAULT '[]';
CREATE INDEX turns_by_parent ON turns (parent) WHERE parent <> '';

-- A summary belongs to every branch that goes through the newest turn it covers.
CREATE TABLE summaries (
	n       INTEGER PRIMARY KEY,
	id      TEXT NOT NULL UNIQUE,
	thread  TEXT NOT NULL,
	last    TEXT NOT NULL, -- turn id
	covers  TEXT NOT NULL, -- JSON list of turn ids
	text    TEXT NOT NULL,
	class   TEXT NOT NULL,
	scope   TEXT NOT NULL, -- JSON list of principals
	asker   TEXT NOT NULL,
	created INTEGER NOT NULL
) STRICT;
CREATE INDEX summaries_by_last ON summaries (last);
