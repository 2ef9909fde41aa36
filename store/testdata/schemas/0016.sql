INSERT INTO spent (turn, model, at, person, place, calls, tokens, cost) VALUES ('first', 'small', 1700000000000000, 'ann@example.com', 'slack:T1/C1', 1, 12, NULL);
