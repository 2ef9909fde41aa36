INSERT INTO admin_links (hash, who, expires) VALUES ('02', 'operator', 1);
INSERT INTO admin_sessions (hash, id, who, created, seen, expires) VALUES ('03', 'a1', 'operator', 1, 1, 2);
INSERT INTO turn_outcomes (turn, at, platform, outcome, coverage, searches, prompt_tokens, completion_tokens, cost, first_ms, took_ms) VALUES ('first', 1700000000000000, 'slack', 'answered', 0.5, 1, 10, 2, NULL, 1, 5);
INSERT INTO model_usage (day, model, calls, failed, prompt_tokens, completion_tokens, cost, unpriced) VALUES ('2023-11-14', 'small', 1, 0, 10, 2, 0, 1);
