-- People sign in by e-mail. They are found by a keyed fingerprint of it; name and e-mail are sealed.
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

-- Of the secrets of invitations, links and sessions only hashes are stored.
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

-- The artifacts of OAuth flows until they expire: codes, refresh tokens, grants, and the ids of their access tokens.
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

-- Used one-time secrets: a second use conflicts with the row of the first.
CREATE TABLE used (hash BLOB PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE INDEX token_application ON token (application);
