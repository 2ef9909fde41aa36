-- What filters decide on for documents n of page*1024 and the 1,023 that follow, as
-- factpage.go packs it: a start reads a page in a hundredth of the time that its rows
-- take. It holds nothing that the rows do not. Whatever changes one of them throws the
-- page away, in the same transaction.
CREATE TABLE fact_pages (
	page  INTEGER PRIMARY KEY,
	facts BLOB NOT NULL
) STRICT;

CREATE TRIGGER fact_pages_document_added AFTER INSERT ON documents BEGIN
	DELETE FROM fact_pages WHERE page = NEW.n >> 10;
END;
CREATE TRIGGER fact_pages_document_gone AFTER DELETE ON documents BEGIN
	DELETE FROM fact_pages WHERE page = OLD.n >> 10;
END;
CREATE TRIGGER fact_pages_document_changed
AFTER UPDATE OF n, id, source, title, kind, hidden, folders, meta, created, updated ON documents BEGIN
	DELETE FROM fact_pages WHERE page IN (OLD.n >> 10, NEW.n >> 10);
END;
CREATE TRIGGER fact_pages_reader_added AFTER INSERT ON access BEGIN
	DELETE FROM fact_pages WHERE page = NEW.document >> 10;
END;
CREATE TRIGGER fact_pages_reader_gone AFTER DELETE ON access BEGIN
	DELETE FROM fact_pages WHERE page = OLD.document >> 10;
END;
CREATE TRIGGER fact_pages_reader_changed AFTER UPDATE ON access BEGIN
	DELETE FROM fact_pages WHERE page IN (OLD.document >> 10, NEW.document >> 10);
END;
