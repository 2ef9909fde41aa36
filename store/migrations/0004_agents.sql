-- Agents that a command added; those of footnote.yaml are not kept here.
CREATE TABLE agents (
	name       TEXT PRIMARY KEY,
	definition TEXT NOT NULL -- JSON object
) STRICT, WITHOUT ROWID;
