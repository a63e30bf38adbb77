-- The attempts to sign in or up, counted by a keyed fingerprint of what they name: an address, an e-mail, an invitation or a
-- person.
CREATE TABLE sign_in_attempt (
  name BLOB PRIMARY KEY,
  failures INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_attempt_expiry ON sign_in_attempt (expires_at);
