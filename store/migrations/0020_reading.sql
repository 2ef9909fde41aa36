-- What a row is for: empty for a question, else what reading documents asked a model
-- for, such as contexts. Those rows are of a quarter of an hour, and belong to nobody.
ALTER TABLE spent ADD COLUMN purpose TEXT NOT NULL DEFAULT '';
