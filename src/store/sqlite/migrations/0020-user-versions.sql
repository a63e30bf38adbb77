-- Counts the writes of a user. A write names the version that it changes, so that two writers lose no change.
ALTER TABLE user ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
