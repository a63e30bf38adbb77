-- Versions are never taken back: what a team accepted must stay known.
CREATE TABLE policy (
  no INTEGER PRIMARY KEY,
  type TEXT NOT NULL,
  version TEXT NOT NULL,
  required INTEGER NOT NULL,
  published_at INTEGER NOT NULL,
  UNIQUE (type, version)
) STRICT;

-- Hangs on nothing: it outlives the team and the token that it names.
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

-- Since when a sealing key is on its way out.
ALTER TABLE sealing_key ADD COLUMN retiring_at INTEGER;
