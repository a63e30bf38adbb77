-- The tables that both databases have, in the words of SQLite: `postgres/migrate.ts` translates them. `no` orders the rows of
-- a table by their insertion. The large tables of SQLite have the number of a tag or script (`ref`) in a column of integers,
-- where PostgreSQL has its id. Times are epoch ms, minutes and days are since 1970 UTC.

CREATE TABLE team (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  sealed_key BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  alerts_muted_until INTEGER
) STRICT;

-- People are found by a keyed fingerprint of their e-mail; name and e-mail are sealed.
CREATE TABLE person (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  email_key BLOB,
  sealed BLOB,
  password TEXT
) STRICT;
CREATE UNIQUE INDEX person_email ON person (email_key);

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
CREATE INDEX token_application ON token (application, no);

-- `version`: how often a row was saved; `updated_by`: a token, a person or `operator`.
CREATE TABLE tag (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  team TEXT NOT NULL REFERENCES team (id),
  name TEXT NOT NULL,
  settings TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  updated_at INTEGER,
  updated_by TEXT,
  CONSTRAINT tag_name UNIQUE (team, name)
) STRICT;

CREATE TABLE script (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  tag TEXT NOT NULL REFERENCES tag (id),
  team TEXT NOT NULL REFERENCES team (id),
  name TEXT NOT NULL,
  provider TEXT NOT NULL,
  consent_category TEXT,
  purchase_value_mode TEXT,
  -- The hash of the part with its other settings (`snapshot_part`).
  part TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  paused INTEGER,
  version INTEGER NOT NULL,
  updated_at INTEGER,
  updated_by TEXT,
  CONSTRAINT script_name UNIQUE (tag, name)
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

-- The parts of the saved scripts and deployments of a tag, each stored once. `hash` is of `body`. `script`: absent for settings.
CREATE TABLE snapshot_part (
  no INTEGER PRIMARY KEY,
  tag TEXT NOT NULL REFERENCES tag (id),
  hash TEXT NOT NULL,
  script TEXT,
  body TEXT NOT NULL,
  UNIQUE (tag, hash)
) STRICT;

-- `parts`: the hashes of its parts, a JSON array.
CREATE TABLE deployment (
  no INTEGER PRIMARY KEY,
  tag TEXT NOT NULL REFERENCES tag (id),
  number INTEGER NOT NULL,
  parts TEXT NOT NULL,
  by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- The number of the older deployment whose content this one repeats.
  activates INTEGER,
  CONSTRAINT deployment_number UNIQUE (tag, number)
) STRICT;

CREATE TABLE sealing_key (
  no INTEGER PRIMARY KEY,
  kid TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL,
  public_jwk TEXT NOT NULL,
  sealed_private BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  retiring_at INTEGER
) STRICT;

CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
  no INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  by TEXT NOT NULL,
  what TEXT NOT NULL,
  team TEXT,
  object TEXT,
  "from" TEXT,
  before TEXT,
  after TEXT
) STRICT;
CREATE INDEX audit_team ON audit (team, no);

-- `kind`: called before a deployment, or for alerts about channels.
CREATE TABLE hook (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  team TEXT NOT NULL REFERENCES team (id),
  url TEXT NOT NULL,
  sealed_secret BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  kind TEXT NOT NULL
) STRICT;
CREATE INDEX hook_team ON hook (team, no);

-- Versions are never deleted, because teams have accepted them.
CREATE TABLE policy (
  no INTEGER PRIMARY KEY,
  type TEXT NOT NULL,
  version TEXT NOT NULL,
  required INTEGER NOT NULL,
  published_at INTEGER NOT NULL,
  -- The address of its text; null without one.
  url TEXT,
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

-- A person's membership in a team. The table `member` of PostgreSQL lists processes.
CREATE TABLE team_member (
  team TEXT NOT NULL REFERENCES team (id),
  person TEXT NOT NULL REFERENCES person (id),
  role TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (team, person)
) STRICT, WITHOUT ROWID;
CREATE INDEX team_member_person ON team_member (person);

-- Of the secrets of invitations, links and sessions only hashes are stored.
CREATE TABLE invitation (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  team TEXT NOT NULL REFERENCES team (id),
  role TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- The inviter. The invitation is invalid once the inviter could no longer make it.
  person TEXT,
  application TEXT
) STRICT;
CREATE INDEX invitation_team ON invitation (team, no);

CREATE TABLE sign_in_link (
  hash BLOB PRIMARY KEY,
  person TEXT NOT NULL REFERENCES person (id),
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
  hash BLOB PRIMARY KEY,
  person TEXT NOT NULL REFERENCES person (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- 1 if a sign-in link opened the session, which then replaces the password for an hour.
  by_link INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX session_person ON session (person);

-- Browsers in which a person has signed in.
CREATE TABLE device (
  id TEXT PRIMARY KEY,
  person TEXT NOT NULL REFERENCES person (id),
  created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  browser TEXT NOT NULL,
  system TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX device_person ON device (person, seen_at);

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
  -- The client secret before the last rotation, and the end of its validity.
  old_secret_hash BLOB,
  old_secret_until INTEGER,
  CONSTRAINT application_name UNIQUE (team, name)
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
  -- The application of an artifact, which is deleted with it.
  application TEXT,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX artifact_grant ON artifact (grant_key) WHERE grant_key IS NOT NULL;
CREATE INDEX artifact_actor ON artifact (actor) WHERE actor IS NOT NULL;
CREATE INDEX artifact_token ON artifact (token) WHERE token IS NOT NULL;
CREATE INDEX artifact_expiry ON artifact (expires_at);
CREATE INDEX artifact_application ON artifact (application) WHERE application IS NOT NULL;

-- Used one-time secrets: a second use conflicts with the row of the first.
CREATE TABLE used (hash BLOB CONSTRAINT used_once PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;

-- Channels that are paused automatically, because of their vendor.
CREATE TABLE channel_pause (
  script INTEGER PRIMARY KEY REFERENCES ref (no),
  tag INTEGER NOT NULL REFERENCES ref (no),
  reason TEXT NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  times INTEGER NOT NULL,
  secrets TEXT NOT NULL
) STRICT;

-- The numbers of events, of deliveries by the status that they reached, and of issues, by minute. An event name is counted
-- separately if it is a standard one, or in `counted_name` for the day; otherwise as `(other)`, because anyone can invent names.
CREATE TABLE event_count (
  tag INTEGER NOT NULL,
  minute INTEGER NOT NULL,
  name TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (tag, minute, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE delivery_count (
  tag INTEGER NOT NULL,
  minute INTEGER NOT NULL,
  script INTEGER NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (tag, minute, script, name, status, reason)
) STRICT, WITHOUT ROWID;

CREATE TABLE issue_count (
  tag INTEGER NOT NULL,
  minute INTEGER NOT NULL,
  name TEXT NOT NULL,
  path TEXT NOT NULL,
  message TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (tag, minute, name, path, message)
) STRICT, WITHOUT ROWID;

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

-- Where alerts of a team go. `sealed` holds the address and its secrets under the key of the team.
CREATE TABLE contact_point (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  team TEXT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  sealed BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (team, name)
) STRICT;

CREATE TABLE alert_rule (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  team TEXT NOT NULL,
  name TEXT NOT NULL,
  settings TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (team, name)
) STRICT;

-- Incidents found by alert rules. `active` is 1 while one lasts or has messages to send.
CREATE TABLE incident (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  team TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  active INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX incident_team ON incident (team, no);
CREATE INDEX incident_active ON incident (no) WHERE active = 1;
CREATE INDEX incident_ended ON incident (started_at) WHERE active = 0;

-- The first 500 names of a tag and day that are not standard ones.
CREATE TABLE counted_name (
  day INTEGER NOT NULL,
  tag INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (day, tag, name)
) STRICT, WITHOUT ROWID;

-- The number of these names.
CREATE TABLE counted_day (
  day INTEGER NOT NULL,
  tag INTEGER NOT NULL,
  names INTEGER NOT NULL,
  PRIMARY KEY (day, tag)
) STRICT, WITHOUT ROWID;

-- The number of a tag's calls that were refused by a rate limit, by minute and by the limit that they
-- exceeded: 'team' or 'tag'.
CREATE TABLE refused_count (
  tag INTEGER NOT NULL,
  minute INTEGER NOT NULL,
  scope TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (tag, minute, scope)
) STRICT, WITHOUT ROWID;

-- A pending e-mail, which a link confirms. Only the hash of the link is stored.
CREATE TABLE email_change (
  person TEXT PRIMARY KEY REFERENCES person (id),
  sealed BLOB NOT NULL,
  link BLOB UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Several tags may claim a host name; DNS decides which of them it belongs to.
CREATE TABLE host_claim (
  tag TEXT NOT NULL REFERENCES tag (id),
  name TEXT NOT NULL,
  claimed_at INTEGER NOT NULL,
  -- The first and last time of the current DNS proof; null without one.
  proved_since INTEGER,
  proved_at INTEGER,
  checked_at INTEGER,
  -- 1 if the name has no DNS record.
  is_missing INTEGER,
  PRIMARY KEY (tag, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX host_claim_name ON host_claim (name);

-- The latencies of attempts by minute and bucket (kit/histogram.ts). `kind` is 0 for the time that the
-- vendor took to answer, 1 for the time from the receipt of an event to its delivery.
CREATE TABLE latency_count (
  tag INTEGER NOT NULL,
  minute INTEGER NOT NULL,
  script INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (tag, minute, script, kind, bucket)
) STRICT, WITHOUT ROWID;

-- Requests to a tag URL by minute. `code` is 'accepted', 'duplicate' or 'rejected' for events, and the code of the
-- Error object for refused calls.
CREATE TABLE intake_count (
  tag INTEGER NOT NULL,
  minute INTEGER NOT NULL,
  code TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (tag, minute, code)
) STRICT, WITHOUT ROWID;

-- The last refused calls of a tag. `number` grows.
CREATE TABLE refused_call (
  tag INTEGER NOT NULL,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  code TEXT NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  origin TEXT,
  PRIMARY KEY (tag, number)
) STRICT, WITHOUT ROWID;

-- The last call of each kind by pages of a host, or by a server (an empty host).
CREATE TABLE seen_caller (
  tag INTEGER NOT NULL,
  call TEXT NOT NULL,
  host TEXT NOT NULL,
  sdk_version TEXT,
  at INTEGER NOT NULL,
  PRIMARY KEY (tag, call, host)
) STRICT, WITHOUT ROWID;

-- How often an event came again and was answered as a duplicate, by the deduplication key of the event (16 hexadecimal
-- digits). `at` is the last time. A row is written only for a duplicate.
CREATE TABLE event_repeat (
  tag INTEGER NOT NULL,
  key TEXT NOT NULL,
  at INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (tag, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_repeat_at ON event_repeat (tag, at);

-- How many delivered events of a channel had its match keys, and faults of them, by hour. `source`
-- is 0 for browsers, 1 for servers. `what` names what is counted (store/matchCounts.ts). No value is stored.
CREATE TABLE match_count (
  tag INTEGER NOT NULL,
  minute INTEGER NOT NULL,
  script INTEGER NOT NULL,
  name TEXT NOT NULL,
  source INTEGER NOT NULL,
  what TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (tag, minute, script, name, source, what)
) STRICT, WITHOUT ROWID;

-- The place of the last event with each fault of a channel.
CREATE TABLE match_example (
  tag INTEGER NOT NULL,
  script INTEGER NOT NULL,
  what TEXT NOT NULL,
  position INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  PRIMARY KEY (tag, script, what)
) STRICT, WITHOUT ROWID;

-- The runs of webhook code for calls from outside. `no` grows. `sealed` holds logs and error under the key of the team.
CREATE TABLE webhook_run (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  tag TEXT NOT NULL,
  script TEXT NOT NULL,
  at INTEGER NOT NULL,
  sealed BLOB NOT NULL
) STRICT;
CREATE INDEX webhook_run_of_script ON webhook_run (script, no);
CREATE INDEX webhook_run_by_time ON webhook_run (at);

-- The run that an event came of, by the key of its id (hexadecimal).
CREATE TABLE webhook_run_event (
  tag TEXT NOT NULL,
  key TEXT NOT NULL,
  run TEXT NOT NULL,
  script TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (tag, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_run_event_by_time ON webhook_run_event (at);
CREATE INDEX webhook_run_event_of_script ON webhook_run_event (script);

-- Attempts to sign in or up, by a keyed fingerprint of what they name: an address, an e-mail, an invitation or a person.
CREATE TABLE sign_in_attempt (
  name BLOB PRIMARY KEY,
  failures INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_attempt_expiry ON sign_in_attempt (expires_at);

-- The outcomes of orders in each channel. Many orders share few texts: a report groups their numbers.
CREATE TABLE order_outcome (
  no INTEGER PRIMARY KEY,
  tag TEXT NOT NULL,
  outcome TEXT NOT NULL,
  UNIQUE (tag, outcome)
) STRICT;

-- The orders of shops. `outcome`: a number of `order_outcome`; current if the order is settled. `touched` counts
-- what may have changed it. No column has data about a person.
CREATE TABLE shop_order (
  no INTEGER PRIMARY KEY,
  tag TEXT NOT NULL,
  id TEXT NOT NULL,
  order_id TEXT NOT NULL,
  aliases TEXT NOT NULL,
  placed_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  status TEXT NOT NULL,
  sales_channel TEXT,
  currency TEXT,
  value REAL,
  tax REAL,
  shipping REAL,
  discount REAL,
  refunded REAL,
  source TEXT,
  settled INTEGER NOT NULL DEFAULT 0,
  outcome INTEGER,
  touched INTEGER NOT NULL DEFAULT 0,
  UNIQUE (tag, id)
) STRICT;
CREATE INDEX shop_order_placed ON shop_order (tag, placed_at, no);
CREATE INDEX shop_order_unsettled ON shop_order (tag, placed_at, no) WHERE settled = 0;

-- The ids and aliases of orders, by keyed fingerprints. An id belongs to one order.
CREATE TABLE shop_order_name (
  tag TEXT NOT NULL,
  hash TEXT NOT NULL,
  ord TEXT NOT NULL,
  PRIMARY KEY (tag, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX shop_order_name_order ON shop_order_name (tag, ord);

-- The Purchase events that have an order id, to compare with the order. `ord`: the order, once it is known.
CREATE TABLE purchase (
  position INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  tag TEXT NOT NULL,
  hash TEXT NOT NULL,
  event_hash TEXT,
  ord TEXT,
  received_at INTEGER NOT NULL,
  browser INTEGER NOT NULL,
  value REAL,
  net REAL,
  currency TEXT,
  PRIMARY KEY (position, idx)
) STRICT, WITHOUT ROWID;
CREATE INDEX purchase_hash ON purchase (tag, hash);
CREATE INDEX purchase_event_hash ON purchase (tag, event_hash) WHERE event_hash IS NOT NULL;
CREATE INDEX purchase_order ON purchase (tag, ord) WHERE ord IS NOT NULL;
CREATE INDEX purchase_unknown ON purchase (tag, received_at) WHERE ord IS NULL;

-- The sealed order data from shops, for seven days; and the keyed fingerprints of the people in it.
CREATE TABLE order_payload (
  tag TEXT NOT NULL,
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  sealed BLOB NOT NULL,
  PRIMARY KEY (tag, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX order_payload_at ON order_payload (tag, at);
CREATE TABLE order_payload_person (
  tag TEXT NOT NULL,
  person TEXT NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (tag, person, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX order_payload_person_order ON order_payload_person (tag, id);

-- A user of a tag. `sealed` is empty for an erased user.
CREATE TABLE tag_user (
  no INTEGER PRIMARY KEY,
  tag INTEGER NOT NULL REFERENCES ref (no),
  id TEXT NOT NULL,
  sealed BLOB NOT NULL,
  seen_at INTEGER NOT NULL,
  -- Counts the writes of a user. A write names the version that it changes, so that two writers lose no change.
  version INTEGER NOT NULL DEFAULT 1,
  UNIQUE (tag, id)
) STRICT;
CREATE INDEX tag_user_seen ON tag_user (tag, seen_at);
-- Erased users, of whom only the erasure is stored.
CREATE INDEX tag_user_erased ON tag_user (tag, seen_at) WHERE length(sealed) = 0;

-- The users of an e-mail (a keyed fingerprint). Several users may claim it; a trusted call confirms it for one.
-- `kind` is 0 for the confirmed user, 1 for a claim, and 2 without a user if the e-mail is crowded: no claim is stored.
-- `overall_consent` of a claim is 0 for never asked, 1 for agrees to everything, 2 for refuses something.
CREATE TABLE email_user (
  tag INTEGER NOT NULL REFERENCES ref (no),
  fingerprint BLOB NOT NULL,
  kind INTEGER NOT NULL CHECK (kind IN (0, 1, 2)),
  user_id TEXT NOT NULL,
  overall_consent INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (tag, fingerprint, kind, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX email_user_user ON email_user (tag, user_id);
CREATE INDEX email_user_crowded ON email_user (seen_at) WHERE kind = 2;

-- The users with a custom key and value, by a keyed fingerprint of both.
CREATE TABLE custom_user (
  tag INTEGER NOT NULL REFERENCES ref (no),
  fingerprint BLOB NOT NULL,
  user_id TEXT NOT NULL,
  PRIMARY KEY (tag, fingerprint, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX custom_user_user ON custom_user (tag, user_id);
