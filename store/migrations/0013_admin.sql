-- Links that open the admin pages once, and the sessions that they opened. Of both
-- only the SHA-256 of the secret is kept.
CREATE TABLE admin_links (
	hash    TEXT PRIMARY KEY,
	who     TEXT NOT NULL,
	expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE admin_sessions (
	hash    TEXT PRIMARY KEY,
	id      TEXT NOT NULL UNIQUE, -- names it in lists
	who     TEXT NOT NULL,
	created INTEGER NOT NULL,
	seen    INTEGER NOT NULL,     -- to the minute
	expires INTEGER NOT NULL      -- however much it is used
) STRICT, WITHOUT ROWID;

-- How each turn ended, for overviews: what a trace says in more words. A turn that
-- failed before anything of it was kept is here alone.
CREATE TABLE turn_outcomes (
	turn              TEXT PRIMARY KEY,
	at                INTEGER NOT NULL,
	platform          TEXT NOT NULL,
	outcome           TEXT NOT NULL,
	coverage          REAL NOT NULL,    -- of the best passage, 0 to 1
	searches          INTEGER NOT NULL,
	prompt_tokens     INTEGER NOT NULL,
	completion_tokens INTEGER NOT NULL,
	cost              REAL,             -- null where a price is not known
	first_ms          INTEGER NOT NULL, -- to the first text; 0 if there was none
	took_ms           INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX turn_outcomes_by_time ON turn_outcomes (at);

-- Calls of models in turns, by day (UTC).
CREATE TABLE model_usage (
	day               TEXT NOT NULL,
	model             TEXT NOT NULL,
	calls             INTEGER NOT NULL,
	failed            INTEGER NOT NULL,
	prompt_tokens     INTEGER NOT NULL,
	completion_tokens INTEGER NOT NULL,
	cost              REAL NOT NULL,    -- of the calls whose price is known
	unpriced          INTEGER NOT NULL, -- calls whose price is not
	PRIMARY KEY (day, model)
) STRICT, WITHOUT ROWID;

CREATE INDEX turns_by_time ON turns (started);
CREATE INDEX votes_by_time ON votes (at);
CREATE INDEX help_requests_by_time ON help_requests (opened);
CREATE INDEX help_requests_by_turn ON help_requests (turn);
