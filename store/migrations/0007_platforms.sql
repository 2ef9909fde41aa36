-- Events of chat platforms that were taken up, for a day.
CREATE TABLE seen_events (
	key TEXT PRIMARY KEY,
	at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX seen_events_by_time ON seen_events (at);

CREATE TABLE buckets (
	key  TEXT PRIMARY KEY,
	left REAL NOT NULL,
	at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX buckets_by_time ON buckets (at);

-- Where answers stand on chat platforms.
CREATE TABLE posted (
	id       TEXT PRIMARY KEY,
	turn     TEXT NOT NULL,
	platform TEXT NOT NULL,
	place    TEXT NOT NULL,
	thread   TEXT NOT NULL,
	account  TEXT NOT NULL,
	refs     TEXT NOT NULL, -- JSON list
	private  INTEGER NOT NULL,
	open     INTEGER NOT NULL,
	extra    TEXT NOT NULL,
	updated  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX posted_by_turn ON posted (turn);
CREATE INDEX posted_open ON posted (platform, updated) WHERE open;

CREATE TABLE votes (
	turn    TEXT NOT NULL,
	account TEXT NOT NULL,
	up      INTEGER NOT NULL,
	reason  TEXT NOT NULL,
	at      INTEGER NOT NULL,
	PRIMARY KEY (turn, account)
) STRICT, WITHOUT ROWID;

CREATE TABLE help_requests (
	id       TEXT PRIMARY KEY,
	turn     TEXT NOT NULL,
	place    TEXT NOT NULL,
	account  TEXT NOT NULL,
	opened   INTEGER NOT NULL,
	resolved INTEGER,
	by       TEXT NOT NULL,
	extra    TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Threads in which somebody told the bot to be quiet.
CREATE TABLE quiet_threads (
	thread TEXT PRIMARY KEY,
	at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX turns_by_asker ON turns (account, started) WHERE account <> '';
