-- When a cited document was last changed, as it was known when it was cited, in
-- microseconds; null where it was not known or may not be shown.
ALTER TABLE citations ADD COLUMN updated INTEGER;
