-- The inviter of an invitation. It is invalid once the inviter could no longer make it.
ALTER TABLE invitation ADD COLUMN person TEXT;
ALTER TABLE invitation ADD COLUMN application TEXT;
UPDATE invitation SET person = by WHERE by GLOB 'per_*';

-- Whether a sign-in link opened the session, which then counts as proof instead of the password for an hour.
ALTER TABLE session ADD COLUMN by_link INTEGER;

-- A pending e-mail, which a link confirms. Only the hash of the link is stored.
CREATE TABLE email_change (
  person TEXT PRIMARY KEY REFERENCES person (id),
  sealed BLOB NOT NULL,
  link BLOB UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
