-- The users with a custom key and value, by a keyed fingerprint of both.
CREATE TABLE custom (
  tag INTEGER NOT NULL REFERENCES ref (no),
  fingerprint BLOB NOT NULL,
  user TEXT NOT NULL,
  PRIMARY KEY (tag, fingerprint, user)
) STRICT, WITHOUT ROWID;
CREATE INDEX custom_user ON custom (tag, user);
