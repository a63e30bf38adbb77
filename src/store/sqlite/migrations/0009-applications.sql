-- The client secret before the last rotation, for as long as it stays good.
ALTER TABLE application ADD COLUMN old_secret_hash BLOB;
ALTER TABLE application ADD COLUMN old_secret_until INTEGER;

-- The application that something of a flow was made for: with it, it goes.
ALTER TABLE artifact ADD COLUMN application TEXT;
CREATE INDEX artifact_application ON artifact (application) WHERE application IS NOT NULL;
