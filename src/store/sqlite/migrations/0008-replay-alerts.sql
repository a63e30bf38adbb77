-- Replays: their filters, progress and counts.
CREATE TABLE replay (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  tag TEXT NOT NULL,
  team TEXT NOT NULL,
  filter TEXT NOT NULL,
  by TEXT NOT NULL,
  state TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  reached TEXT,
  tally TEXT NOT NULL
) STRICT;
CREATE INDEX replay_tag ON replay (tag, no);
CREATE INDEX replay_open ON replay (no) WHERE ended_at IS NULL;

-- The last replay of a delivery, and the state before it, such as `dead vendorDown`.
ALTER TABLE delivery ADD COLUMN replay INTEGER;
ALTER TABLE delivery ADD COLUMN before TEXT;
CREATE INDEX delivery_replay ON delivery (replay, status, script) WHERE replay IS NOT NULL;

-- Replays mostly select failed deliveries, which are few.
CREATE INDEX delivery_failed ON delivery (tag, position, idx) WHERE status IN ('dead', 'refused');

-- The kind of a hook: called before a deployment, or for alerts about channels.
ALTER TABLE hook ADD COLUMN kind TEXT NOT NULL DEFAULT 'deploy';

-- Alerts about channels, and their notifications of hooks.
CREATE TABLE alert (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  team TEXT NOT NULL,
  kind TEXT NOT NULL,
  tag TEXT NOT NULL,
  script TEXT NOT NULL,
  reason TEXT NOT NULL,
  count INTEGER NOT NULL,
  since INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX alert_team ON alert (team, no);
CREATE INDEX alert_channel ON alert (script, kind, no);

CREATE TABLE alert_sending (
  no INTEGER PRIMARY KEY,
  alert INTEGER NOT NULL REFERENCES alert (no),
  hook TEXT NOT NULL,
  status TEXT NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER CHECK ((next_at IS NOT NULL) = (status = 'pending')),
  message TEXT,
  UNIQUE (alert, hook)
) STRICT;
CREATE INDEX alert_sending_due ON alert_sending (next_at) WHERE status = 'pending';
