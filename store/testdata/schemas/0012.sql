INSERT INTO vector_sets (n, model, dimensions, live) VALUES (1, 'small', 2, 1);
INSERT INTO passage_texts (passage, hash) VALUES (40, x'aa');
INSERT INTO vectors (space, hash, vector, reason) VALUES (1, x'aa', x'00000000', '');
