-- How often a tag or a script was saved, when last and by whom (a token, a person or `operator`). A write can name the
-- version that it is based on. Null for rows that were last saved before these columns existed.
ALTER TABLE tag ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE tag ADD COLUMN updated_at INTEGER;
ALTER TABLE tag ADD COLUMN updated_by TEXT;
ALTER TABLE script ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE script ADD COLUMN updated_at INTEGER;
ALTER TABLE script ADD COLUMN updated_by TEXT;
