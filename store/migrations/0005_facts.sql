-- Audience classes have the names of the kinds of places.
UPDATE turns SET class = 'dm' WHERE class = 'direct';
UPDATE turns SET class = 'public_channel' WHERE class = 'team';
UPDATE summaries SET class = 'dm' WHERE class = 'direct';
UPDATE summaries SET class = 'public_channel' WHERE class = 'team';

ALTER TABLE sources ADD COLUMN discretion INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sources ADD COLUMN max_age INTEGER NOT NULL DEFAULT 0; -- nanoseconds
-- All access that the connector states was told at this time or later; null if
-- that was never so.
ALTER TABLE sources ADD COLUMN access_checked INTEGER;
UPDATE sources SET access_checked = (SELECT max(started) FROM sync_runs
	WHERE source = name AND finished IS NOT NULL AND error_kind = '');

ALTER TABLE documents ADD COLUMN folders TEXT NOT NULL DEFAULT '[]'; -- JSON list of the connector's ids, outermost first
-- Since when the connector fails to tell who may read it; null while it tells.
ALTER TABLE documents ADD COLUMN untold INTEGER;

ALTER TABLE turns ADD COLUMN account TEXT NOT NULL DEFAULT '';
ALTER TABLE turns ADD COLUMN agent TEXT NOT NULL DEFAULT '';

-- What the model was given in a turn. Of turns before this table only what they
-- cited is known.
CREATE TABLE turn_documents (
	turn     INTEGER NOT NULL REFERENCES turns (n) ON DELETE CASCADE,
	position INTEGER NOT NULL,
	document TEXT NOT NULL, -- id; may be gone from documents by now
	PRIMARY KEY (turn, position)
) STRICT, WITHOUT ROWID;
INSERT INTO turn_documents (turn, position, document)
	SELECT turn, min(position), document_id FROM citations WHERE document_id <> '' GROUP BY turn, document_id;
