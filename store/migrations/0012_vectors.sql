-- The spaces that vectors lie in: one for each embedding model and length.
CREATE TABLE vector_sets (
	n          INTEGER PRIMARY KEY AUTOINCREMENT,
	model      TEXT NOT NULL,
	dimensions INTEGER NOT NULL,
	live       INTEGER NOT NULL DEFAULT 0, -- whether searches use it; one at most does
	replaced   INTEGER,                    -- since when another one is live; null if it never was replaced
	UNIQUE (model, dimensions)
) STRICT;

-- The hash of what is embedded of a passage: title, heading path and text. Under
-- the same id these never change.
CREATE TABLE passage_texts (
	passage INTEGER PRIMARY KEY REFERENCES passages (id) ON DELETE CASCADE,
	hash    BLOB NOT NULL
) STRICT;
CREATE INDEX passage_texts_by_hash ON passage_texts (hash);

-- Vectors by what was embedded, so that no text is paid for twice.
CREATE TABLE vectors (
	n      INTEGER PRIMARY KEY,
	space  INTEGER NOT NULL REFERENCES vector_sets (n),
	hash   BLOB NOT NULL,
	vector BLOB,          -- 16-bit fractions of its largest number, low byte first; null if the model refuses the text
	reason TEXT NOT NULL, -- why there is none
	unused INTEGER,       -- since when no passage has that text, or since when it is refused
	UNIQUE (space, hash)
) STRICT;
