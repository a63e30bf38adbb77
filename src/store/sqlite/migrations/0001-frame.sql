CREATE TABLE team (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  sealed_key BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE person (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE token (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  team TEXT NOT NULL REFERENCES team (id),
  application TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;

CREATE TABLE tag (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  team TEXT NOT NULL REFERENCES team (id),
  name TEXT NOT NULL,
  settings TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (team, name)
) STRICT;

CREATE TABLE script (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  tag TEXT NOT NULL REFERENCES tag (id),
  team TEXT NOT NULL REFERENCES team (id),
  name TEXT NOT NULL,
  provider TEXT NOT NULL,
  consent_category TEXT,
  geo_regions TEXT,
  purchase_value_mode TEXT,
  secrets TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (tag, name)
) STRICT;

-- Kept after its script is deleted, because an older deployment that is activated again refers to it.
CREATE TABLE secret_version (
  no INTEGER PRIMARY KEY,
  secret TEXT NOT NULL,
  version INTEGER NOT NULL,
  script TEXT NOT NULL,
  variable TEXT NOT NULL,
  type TEXT NOT NULL,
  wrapped_key BLOB NOT NULL,
  ciphertext BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (secret, version)
) STRICT;

CREATE TABLE deployment (
  no INTEGER PRIMARY KEY,
  tag TEXT NOT NULL REFERENCES tag (id),
  number INTEGER NOT NULL,
  snapshot TEXT NOT NULL,
  by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (tag, number)
) STRICT;

CREATE TABLE sealing_key (
  no INTEGER PRIMARY KEY,
  kid TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL,
  public_jwk TEXT NOT NULL,
  sealed_private BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
  no INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  by TEXT NOT NULL,
  what TEXT NOT NULL,
  team TEXT,
  object TEXT,
  "from" TEXT
) STRICT;

-- A number for each tag and script id, which the large tables below store instead of the id. Kept after the tag is
-- deleted.
CREATE TABLE ref (no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE event (
  tag INTEGER NOT NULL REFERENCES ref (no),
  position INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  name TEXT NOT NULL,
  user TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  consent TEXT NOT NULL,
  place TEXT NOT NULL,
  PRIMARY KEY (tag, position, idx)
) STRICT, WITHOUT ROWID;

-- Ids start with their creation time, so that new ones are adjacent in the index.
CREATE TABLE delivery (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  tag INTEGER NOT NULL REFERENCES ref (no),
  position INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  script INTEGER NOT NULL REFERENCES ref (no),
  provider TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  free INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER CHECK ((next_at IS NOT NULL) = (status = 'pending')),
  UNIQUE (position, idx, script)
) STRICT;
-- Script first, so that the due rows of one channel are found without reading those of another.
CREATE INDEX delivery_due ON delivery (script, next_at) WHERE status = 'pending';

CREATE TABLE attempt (
  delivery INTEGER NOT NULL REFERENCES delivery (no),
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  http_status INTEGER,
  message TEXT,
  PRIMARY KEY (delivery, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE user (
  no INTEGER PRIMARY KEY,
  tag INTEGER NOT NULL REFERENCES ref (no),
  id TEXT NOT NULL,
  sealed BLOB NOT NULL,
  seen_at INTEGER NOT NULL,
  UNIQUE (tag, id)
) STRICT;

CREATE TABLE alias (
  tag INTEGER NOT NULL REFERENCES ref (no),
  fingerprint BLOB NOT NULL,
  user TEXT NOT NULL,
  PRIMARY KEY (tag, fingerprint)
) STRICT, WITHOUT ROWID;
