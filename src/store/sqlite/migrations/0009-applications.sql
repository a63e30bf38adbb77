-- The client secret before the last rotation, and the end of its validity.
ALTER TABLE application ADD COLUMN old_secret_hash BLOB;
ALTER TABLE application ADD COLUMN old_secret_until INTEGER;

-- The application of an artifact, which is deleted with it.
ALTER TABLE artifact ADD COLUMN application TEXT;
CREATE INDEX artifact_application ON artifact (application) WHERE application IS NOT NULL;
