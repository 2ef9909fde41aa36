-- What each turn used, one row for each of its models, for limits and for overviews;
-- a turn that asked no model has one row with an empty model. Kept for 400 days.
CREATE TABLE spent (
	turn   TEXT NOT NULL,
	model  TEXT NOT NULL,
	at     INTEGER NOT NULL, -- microseconds
	person TEXT NOT NULL,    -- the asker's address, else the account
	place  TEXT NOT NULL,
	calls  INTEGER NOT NULL,
	tokens INTEGER NOT NULL,
	cost   REAL,             -- null where a price is not known
	PRIMARY KEY (turn, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX spent_by_time ON spent (at);
