-- People sign in by e-mail: found by a keyed fingerprint of it, with name and e-mail sealed.
ALTER TABLE person ADD COLUMN email_key BLOB;
ALTER TABLE person ADD COLUMN sealed BLOB;
ALTER TABLE person ADD COLUMN password TEXT;
CREATE UNIQUE INDEX person_email ON person (email_key);

CREATE TABLE member (
  team TEXT NOT NULL REFERENCES team (id),
  person TEXT NOT NULL REFERENCES person (id),
  role TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (team, person)
) STRICT, WITHOUT ROWID;
CREATE INDEX member_person ON member (person);

-- Of invitations, links and sessions only the hash of what opens them is kept.
CREATE TABLE invitation (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  team TEXT NOT NULL REFERENCES team (id),
  role TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX invitation_team ON invitation (team);

CREATE TABLE sign_in_link (
  hash BLOB PRIMARY KEY,
  person TEXT NOT NULL REFERENCES person (id),
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
  hash BLOB PRIMARY KEY,
  person TEXT NOT NULL REFERENCES person (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_person ON session (person);

CREATE TABLE application (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  team TEXT NOT NULL REFERENCES team (id),
  name TEXT NOT NULL,
  redirect_uris TEXT NOT NULL,
  scopes TEXT NOT NULL,
  secret_hash BLOB,
  created_at INTEGER NOT NULL,
  approved_at INTEGER,
  UNIQUE (team, name)
) STRICT;

-- What an OAuth flow leaves behind until it expires: codes, refresh tokens, grants, and which access token came of it.
CREATE TABLE artifact (
  kind TEXT NOT NULL,
  key BLOB NOT NULL,
  grant_key BLOB,
  actor TEXT,
  token TEXT,
  sealed BLOB NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX artifact_grant ON artifact (grant_key) WHERE grant_key IS NOT NULL;
CREATE INDEX artifact_actor ON artifact (actor) WHERE actor IS NOT NULL;
CREATE INDEX artifact_token ON artifact (token) WHERE token IS NOT NULL;
CREATE INDEX artifact_expiry ON artifact (expires_at);

-- What may be used once: whoever comes second meets the row of the first.
CREATE TABLE used (hash BLOB PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE INDEX token_application ON token (application);
