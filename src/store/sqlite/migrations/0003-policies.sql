-- Versions are never deleted, because teams have accepted them.
CREATE TABLE policy (
  no INTEGER PRIMARY KEY,
  type TEXT NOT NULL,
  version TEXT NOT NULL,
  required INTEGER NOT NULL,
  published_at INTEGER NOT NULL,
  UNIQUE (type, version)
) STRICT;

-- Without foreign keys: a row is kept after its team and token are deleted.
CREATE TABLE acceptance (
  no INTEGER PRIMARY KEY,
  team TEXT NOT NULL,
  type TEXT NOT NULL,
  version TEXT NOT NULL,
  by TEXT NOT NULL,
  at INTEGER NOT NULL,
  "from" TEXT,
  UNIQUE (team, type, version)
) STRICT;

ALTER TABLE audit ADD COLUMN before TEXT;
ALTER TABLE audit ADD COLUMN after TEXT;
CREATE INDEX audit_team ON audit (team, no);

-- The time of a sealing key's retirement.
ALTER TABLE sealing_key ADD COLUMN retiring_at INTEGER;
