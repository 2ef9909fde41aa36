-- A token may be bound to one source, for pushing documents into it, instead of
-- speaking for a person; and it may end.
ALTER TABLE tokens ADD COLUMN source TEXT NOT NULL DEFAULT '';
ALTER TABLE tokens ADD COLUMN expires INTEGER;
