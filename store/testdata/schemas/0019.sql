UPDATE passages SET context = 'From the staff handbook.' WHERE id = (SELECT min(id) FROM passages);
INSERT INTO passage_contexts (hash, document, text, reason) SELECT x'01', min(n), 'From the staff handbook.', '' FROM documents;
