-- A customer's host name belongs to one tag.
CREATE TABLE host (
  name TEXT PRIMARY KEY,
  tag TEXT NOT NULL REFERENCES tag (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX host_tag ON host (tag);

-- The hooks that are called before a deployment of the team goes live.
CREATE TABLE hook (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  team TEXT NOT NULL REFERENCES team (id),
  url TEXT NOT NULL,
  sealed_secret BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX hook_team ON hook (team);

ALTER TABLE script ADD COLUMN paused INTEGER;
-- The number of the older deployment whose content this one repeats.
ALTER TABLE deployment ADD COLUMN activates INTEGER;
