-- Accounts on chat platforms as the platforms last described them. All e-mail
-- addresses in this file are in lower case; all times are microseconds since 1970.
CREATE TABLE accounts (
	key      TEXT PRIMARY KEY, -- platform:team/id
	platform TEXT NOT NULL,
	team     TEXT NOT NULL,
	id       TEXT NOT NULL,
	name     TEXT NOT NULL,
	class    TEXT NOT NULL,
	email    TEXT NOT NULL,    -- as the platform states it, or empty
	verified INTEGER NOT NULL,
	linked   TEXT NOT NULL,    -- the person whom a code linked it to, or empty
	seen     INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX accounts_by_email ON accounts (email) WHERE email <> '';
CREATE INDEX accounts_by_linked ON accounts (linked) WHERE linked <> '';

CREATE TABLE former_emails (
	account TEXT NOT NULL REFERENCES accounts (key) ON DELETE CASCADE,
	email   TEXT NOT NULL,
	PRIMARY KEY (account, email)
) STRICT, WITHOUT ROWID;
CREATE INDEX former_emails_by_email ON former_emails (email);

-- Codes that link an account to a person, once. The code itself is not kept.
CREATE TABLE link_codes (
	hash    TEXT PRIMARY KEY, -- SHA-256 in hexadecimal
	email   TEXT NOT NULL,
	created INTEGER NOT NULL,
	expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE link_misses (
	n       INTEGER PRIMARY KEY,
	account TEXT NOT NULL,
	at      INTEGER NOT NULL
) STRICT;
CREATE INDEX link_misses_by_account ON link_misses (account, at);

-- Whose groups are known, and how well. The name config stands for footnote.yaml.
CREATE TABLE group_sources (
	source  TEXT PRIMARY KEY,
	checked INTEGER,                   -- when all groups were told last
	max_age INTEGER NOT NULL DEFAULT 0 -- nanoseconds; 0 is the default limit
) STRICT, WITHOUT ROWID;
CREATE TRIGGER sources_take_their_groups AFTER DELETE ON sources BEGIN
	DELETE FROM group_sources WHERE source = old.name;
END;

CREATE TABLE groups (
	principal TEXT PRIMARY KEY, -- group:source/name in lower case
	source    TEXT NOT NULL REFERENCES group_sources (source) ON DELETE CASCADE,
	name      TEXT NOT NULL,    -- as the source writes it
	sum       BLOB NOT NULL     -- SHA-256 of the members: equal means nothing to write
) STRICT, WITHOUT ROWID;
CREATE INDEX groups_by_source ON groups (source);

-- One step of membership: user:email or group:source/name is in the group. The
-- source is the group's own, so that a walk upwards needs no other table.
CREATE TABLE members (
	member    TEXT NOT NULL,
	principal TEXT NOT NULL REFERENCES groups (principal) ON DELETE CASCADE,
	source    TEXT NOT NULL,
	PRIMARY KEY (member, principal)
) STRICT, WITHOUT ROWID;
CREATE INDEX members_by_group ON members (principal);

CREATE TABLE collections (
	name    TEXT PRIMARY KEY,
	sources TEXT NOT NULL, -- JSON lists
	folders TEXT NOT NULL,
	tags    TEXT NOT NULL,
	origin  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE grants (
	place      TEXT NOT NULL,
	collection TEXT NOT NULL REFERENCES collections (name),
	external   INTEGER NOT NULL,
	origin     TEXT NOT NULL,
	PRIMARY KEY (place, collection)
) STRICT, WITHOUT ROWID;
CREATE INDEX grants_by_collection ON grants (collection);

CREATE TABLE place_settings (
	place    TEXT PRIMARY KEY,
	settings TEXT NOT NULL, -- JSON object
	origin   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The class that each place had last, to notice when it becomes another.
CREATE TABLE noted_places (
	place   TEXT PRIMARY KEY,
	kind    TEXT NOT NULL,
	class   TEXT NOT NULL,
	name    TEXT NOT NULL,
	former  TEXT NOT NULL,   -- the class before that, or empty
	changed INTEGER NOT NULL -- when it got this class
) STRICT, WITHOUT ROWID;

-- Who learned what where, and who changed what others may learn. Only ever added
-- to: the triggers let go of entries older than the time in meta.audit_retention,
-- which stands there only inside the transaction that prunes.
CREATE TABLE audit (
	n       INTEGER PRIMARY KEY AUTOINCREMENT,
	at      INTEGER NOT NULL,
	action  TEXT NOT NULL,
	actor   TEXT NOT NULL,
	place   TEXT NOT NULL,
	class   TEXT NOT NULL,
	scope   TEXT NOT NULL,
	turn_id TEXT NOT NULL,
	mode    TEXT NOT NULL,
	detail  TEXT NOT NULL -- JSON object
) STRICT;
CREATE INDEX audit_by_time ON audit (at);
CREATE INDEX audit_by_turn ON audit (turn_id) WHERE turn_id <> '';

CREATE TABLE audit_documents (
	document TEXT NOT NULL,
	entry    INTEGER NOT NULL REFERENCES audit (n),
	position INTEGER NOT NULL,
	PRIMARY KEY (document, entry)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_documents_by_entry ON audit_documents (entry, position, document);

CREATE TRIGGER audit_stays BEFORE UPDATE ON audit BEGIN
	SELECT raise(ABORT, 'the audit is only added to');
END;
CREATE TRIGGER audit_documents_stay BEFORE UPDATE ON audit_documents BEGIN
	SELECT raise(ABORT, 'the audit is only added to');
END;
-- INSERT OR REPLACE would delete without asking the triggers below.
CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE n = new.n) BEGIN
	SELECT raise(ABORT, 'the audit is only added to');
END;
CREATE TRIGGER audit_documents_are_not_replaced BEFORE INSERT ON audit_documents
WHEN EXISTS (SELECT 1 FROM audit_documents WHERE document = new.document AND entry = new.entry) BEGIN
	SELECT raise(ABORT, 'the audit is only added to');
END;
CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit
WHEN NOT EXISTS (SELECT 1 FROM meta WHERE key = 'audit_retention' AND old.at < CAST(value AS INTEGER)) BEGIN
	SELECT raise(ABORT, 'the audit is only added to');
END;
CREATE TRIGGER audit_documents_are_kept BEFORE DELETE ON audit_documents
WHEN NOT EXISTS (SELECT 1 FROM meta, audit a WHERE meta.key = 'audit_retention'
	AND a.n = old.entry AND a.at < CAST(meta.value AS INTEGER)) BEGIN
	SELECT raise(ABORT, 'the audit is only added to');
END;
