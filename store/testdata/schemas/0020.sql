INSERT INTO spent (turn, model, at, person, place, calls, tokens, cost, purpose) VALUES ('contexts 1700000000 true', 'small', 1700000000000000, '', '', 3, 900, 0.5, 'contexts');
