-- By whose authority an invitation was made: it opens nothing once they could not make it any more.
ALTER TABLE invitation ADD COLUMN person TEXT;
ALTER TABLE invitation ADD COLUMN application TEXT;
UPDATE invitation SET person = by WHERE by GLOB 'per_*';

-- A session that a sign-in link opened: for an hour it proves as much as the password does.
ALTER TABLE session ADD COLUMN by_link INTEGER;

-- An e-mail that is to be confirmed by a link. Of the link only the hash is kept.
CREATE TABLE email_change (
  person TEXT PRIMARY KEY REFERENCES person (id),
  sealed BLOB NOT NULL,
  link BLOB UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
