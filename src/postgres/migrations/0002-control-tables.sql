-- `no` orders the rows of a table by their insertion. Ids and keys compare by their bytes.
CREATE TABLE team (
  no bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  sealed_key bytea NOT NULL,
  created_at bigint NOT NULL,
  alerts_muted_until bigint
);

-- People are found by a keyed fingerprint of their e-mail; name and e-mail are sealed.
CREATE TABLE person (
  no bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  role text COLLATE "C" NOT NULL,
  email_key bytea,
  sealed bytea,
  password text,
  created_at bigint NOT NULL,
  CONSTRAINT person_email UNIQUE (email_key)
);
CREATE INDEX person_role ON person (role, no);

CREATE TABLE token (
  no bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  id text COLLATE "C" PRIMARY KEY,
  team text COLLATE "C" NOT NULL REFERENCES team (id),
  application text COLLATE "C" NOT NULL,
  hash bytea NOT NULL UNIQUE,
  scopes text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  revoked_at bigint
);
CREATE INDEX token_team ON token (team, no);
CREATE INDEX token_application ON token (application, no);

-- `version`: how often a row was saved; `updated_by`: a token, a person or `operator`.
CREATE TABLE tag (
  no bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  id text COLLATE "C" PRIMARY KEY,
  team text COLLATE "C" NOT NULL REFERENCES team (id),
  name text COLLATE "C" NOT NULL,
  settings text NOT NULL,
  created_at bigint NOT NULL,
  version bigint NOT NULL,
  updated_at bigint,
  updated_by text,
  -- The event shard that has the rows of the tag's events and users.
  shard int NOT NULL DEFAULT 0,
  CONSTRAINT tag_name UNIQUE (team, name)
);
CREATE INDEX tag_team ON tag (team, no);

CREATE TABLE script (
  no bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  id text COLLATE "C" PRIMARY KEY,
  tag text COLLATE "C" NOT NULL REFERENCES tag (id),
  team text COLLATE "C" NOT NULL REFERENCES team (id),
  name text COLLATE "C" NOT NULL,
  provider text NOT NULL,
  consent_category text,
  purchase_value_mode text,
  paused bigint,
  -- The hash of the part with its other settings (`snapshot_part`).
  part text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  version bigint NOT NULL,
  updated_at bigint,
  updated_by text,
  CONSTRAINT script_name UNIQUE (tag, name)
);
CREATE INDEX script_tag ON script (tag, no);

-- Kept after its script is deleted, because an older deployment that is activated again refers to it.
CREATE TABLE secret_version (
  secret text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  script text COLLATE "C" NOT NULL,
  variable text NOT NULL,
  type text NOT NULL,
  wrapped_key bytea NOT NULL,
  ciphertext bytea NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (secret, version)
);
CREATE INDEX secret_version_script ON secret_version (script);

-- `parts`: the hashes of its parts, a JSON array. `activates`: the number of the older deployment whose content this one repeats.
CREATE TABLE deployment (
  no bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  tag text COLLATE "C" NOT NULL REFERENCES tag (id),
  number bigint NOT NULL,
  parts text NOT NULL,
  by text NOT NULL,
  created_at bigint NOT NULL,
  activates bigint,
  CONSTRAINT deployment_number PRIMARY KEY (tag, number)
);

-- What saved scripts and deployments of a tag consist of, each part once. `hash` is of `body`. `script`: absent for settings.
CREATE TABLE snapshot_part (
  tag text COLLATE "C" NOT NULL REFERENCES tag (id),
  hash text COLLATE "C" NOT NULL,
  script text COLLATE "C",
  body text NOT NULL,
  PRIMARY KEY (tag, hash)
);

-- Several tags may claim a host name; DNS decides which of them it belongs to. `is_missing`: the name has no record.
CREATE TABLE host_claim (
  tag text COLLATE "C" NOT NULL REFERENCES tag (id),
  name text COLLATE "C" NOT NULL,
  claimed_at bigint NOT NULL,
  proved_since bigint,
  proved_at bigint,
  checked_at bigint,
  is_missing bigint,
  PRIMARY KEY (tag, name)
);
CREATE INDEX host_claim_name ON host_claim (name);

CREATE TABLE hook (
  no bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  id text COLLATE "C" PRIMARY KEY,
  team text COLLATE "C" NOT NULL REFERENCES team (id),
  kind text NOT NULL,
  url text NOT NULL,
  sealed_secret bytea NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX hook_team ON hook (team, no);

CREATE TABLE sealing_key (
  no bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  kid text COLLATE "C" PRIMARY KEY,
  state text NOT NULL,
  public_jwk text NOT NULL,
  sealed_private bytea NOT NULL,
  created_at bigint NOT NULL,
  retiring_at bigint
);

CREATE TABLE setting (
  name text COLLATE "C" PRIMARY KEY,
  value text NOT NULL
);

CREATE TABLE policy (
  no bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  type text COLLATE "C" NOT NULL,
  version text COLLATE "C" NOT NULL,
  required bigint NOT NULL,
  published_at bigint NOT NULL,
  url text,
  PRIMARY KEY (type, version)
);

-- Without foreign keys: a row is kept after its team and token are deleted.
CREATE TABLE acceptance (
  no bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  team text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  version text COLLATE "C" NOT NULL,
  by text NOT NULL,
  at bigint NOT NULL,
  "from" text,
  PRIMARY KEY (team, type, version)
);

CREATE TABLE audit (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  by text COLLATE "C" NOT NULL,
  what text COLLATE "C" NOT NULL,
  team text COLLATE "C",
  object text COLLATE "C",
  "from" text,
  before text,
  after text
);
CREATE INDEX audit_team ON audit (team, no);

-- A person's membership in a team. The table `member` lists processes.
CREATE TABLE team_member (
  team text COLLATE "C" NOT NULL REFERENCES team (id),
  person text COLLATE "C" NOT NULL REFERENCES person (id),
  role text NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (team, person)
);
CREATE INDEX team_member_person ON team_member (person);

-- Of the secrets of invitations, links and sessions only hashes are stored. `person` and `application`: the inviter.
CREATE TABLE invitation (
  no bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  id text COLLATE "C" PRIMARY KEY,
  team text COLLATE "C" NOT NULL REFERENCES team (id),
  role text NOT NULL,
  hash bytea NOT NULL UNIQUE,
  by text NOT NULL,
  person text,
  application text,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX invitation_team ON invitation (team, no);

CREATE TABLE sign_in_link (
  hash bytea PRIMARY KEY,
  person text COLLATE "C" NOT NULL REFERENCES person (id),
  expires_at bigint NOT NULL
);

-- `by_link`: a sign-in link opened the session.
CREATE TABLE session (
  hash bytea PRIMARY KEY,
  person text COLLATE "C" NOT NULL REFERENCES person (id),
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  by_link bigint
);
CREATE INDEX session_person ON session (person);

-- Browsers in which a person has signed in.
CREATE TABLE device (
  id text COLLATE "C" PRIMARY KEY,
  person text COLLATE "C" NOT NULL REFERENCES person (id),
  created_at bigint NOT NULL,
  seen_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  browser text NOT NULL,
  system text NOT NULL
);
CREATE INDEX device_person ON device (person, seen_at);

-- A pending e-mail, which a link confirms.
CREATE TABLE email_change (
  person text COLLATE "C" PRIMARY KEY REFERENCES person (id),
  sealed bytea NOT NULL,
  link bytea UNIQUE,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL
);

-- `old_secret_hash`: the client secret before the last rotation.
CREATE TABLE application (
  no bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  id text COLLATE "C" PRIMARY KEY,
  team text COLLATE "C" NOT NULL REFERENCES team (id),
  name text COLLATE "C" NOT NULL,
  redirect_uris text NOT NULL,
  scopes text NOT NULL,
  secret_hash bytea,
  old_secret_hash bytea,
  old_secret_until bigint,
  created_at bigint NOT NULL,
  approved_at bigint,
  CONSTRAINT application_name UNIQUE (team, name)
);
CREATE INDEX application_team ON application (team, no);

-- The artifacts of OAuth flows until they expire: codes, refresh tokens, grants, and the ids of their access tokens.
CREATE TABLE artifact (
  kind text COLLATE "C" NOT NULL,
  key bytea NOT NULL,
  grant_key bytea,
  actor text COLLATE "C",
  application text COLLATE "C",
  token text COLLATE "C",
  sealed bytea NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (kind, key)
);
CREATE INDEX artifact_grant ON artifact (grant_key) WHERE grant_key IS NOT NULL;
CREATE INDEX artifact_actor ON artifact (actor) WHERE actor IS NOT NULL;
CREATE INDEX artifact_application ON artifact (application) WHERE application IS NOT NULL;
CREATE INDEX artifact_token ON artifact (token) WHERE token IS NOT NULL;
CREATE INDEX artifact_expiry ON artifact (expires_at);

-- Used one-time secrets: a second use conflicts with the row of the first.
CREATE TABLE used (
  hash bytea CONSTRAINT used_once PRIMARY KEY,
  expires_at bigint NOT NULL
);

CREATE TABLE alert (
  no bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  id text COLLATE "C" PRIMARY KEY,
  team text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  tag text COLLATE "C" NOT NULL,
  script text COLLATE "C" NOT NULL,
  reason text NOT NULL,
  count bigint NOT NULL,
  since bigint NOT NULL,
  at bigint NOT NULL
);
CREATE INDEX alert_team ON alert (team, no);
CREATE INDEX alert_channel ON alert (script, kind, no);

-- The notification of a hook about an alert.
CREATE TABLE alert_sending (
  no bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  alert bigint NOT NULL REFERENCES alert (no),
  hook text COLLATE "C" NOT NULL,
  status text NOT NULL,
  tries bigint NOT NULL DEFAULT 0,
  next_at bigint CHECK ((next_at IS NOT NULL) = (status = 'pending')),
  message text,
  PRIMARY KEY (alert, hook)
);
CREATE INDEX alert_sending_due ON alert_sending (next_at) WHERE status = 'pending';

-- Where alerts of a team go. `sealed` holds the address and its secrets under the key of the team.
CREATE TABLE contact_point (
  no bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  id text COLLATE "C" PRIMARY KEY,
  team text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  sealed bytea NOT NULL,
  created_at bigint NOT NULL,
  UNIQUE (team, name)
);

CREATE TABLE alert_rule (
  no bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  id text COLLATE "C" PRIMARY KEY,
  team text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  settings text NOT NULL,
  created_at bigint NOT NULL,
  UNIQUE (team, name)
);

-- What alert rules found. `active` is 1 while it lasts or has messages to send.
CREATE TABLE incident (
  no bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  id text COLLATE "C" PRIMARY KEY,
  team text COLLATE "C" NOT NULL,
  started_at bigint NOT NULL,
  active bigint NOT NULL,
  body text NOT NULL
);
CREATE INDEX incident_team ON incident (team, no);
CREATE INDEX incident_active ON incident (no) WHERE active = 1;
CREATE INDEX incident_ended ON incident (started_at) WHERE active = 0;

-- The runs of webhook code for calls from outside. `sealed` holds logs and error under the key of the team.
CREATE TABLE webhook_run (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL,
  tag text COLLATE "C" NOT NULL,
  script text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  sealed bytea NOT NULL
);
CREATE INDEX webhook_run_script ON webhook_run (script, no);
CREATE INDEX webhook_run_tag ON webhook_run (tag);
CREATE INDEX webhook_run_at ON webhook_run (at);

-- The run that an event came of, by the key of its id (hexadecimal).
CREATE TABLE webhook_run_event (
  tag text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  run text COLLATE "C" NOT NULL,
  script text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (tag, key)
);
CREATE INDEX webhook_run_event_at ON webhook_run_event (at);
CREATE INDEX webhook_run_event_script ON webhook_run_event (script);

-- The writes of the store of the last hour. A write whose answer was lost is found here when it is repeated.
CREATE TABLE write_mark (
  id uuid PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  runs int NOT NULL DEFAULT 1
);
CREATE INDEX write_mark_at ON write_mark (at);

-- The tables into which a backup of files was moved, and how many rows of each. `source`: the time of the backup.
CREATE TABLE moved_table (
  name text COLLATE "C" PRIMARY KEY,
  source text NOT NULL,
  rows bigint NOT NULL
);

-- Dropped tags of which rows may be left. They are deleted in slices, because a large tag has millions of users.
CREATE TABLE dropped_tag (
  tag text COLLATE "C" PRIMARY KEY
);

-- One row: the id of this schema. Of an event shard also its number, and the id of the schema with the control part.
CREATE TABLE identity (id text NOT NULL, shard int, control text);
INSERT INTO identity (id) VALUES (gen_random_uuid()::text);

-- In the control schema: the ids of the event shards.
CREATE TABLE shard (number int PRIMARY KEY, id text NOT NULL UNIQUE);

-- In the control schema: changes that an event shard is to write.
CREATE TABLE owed_write (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  shard int NOT NULL,
  changes text NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);

-- Attempts to sign in or up, by a keyed fingerprint of what they name: an address, an e-mail, an invitation or a person.
CREATE TABLE sign_in_attempt (
  name bytea PRIMARY KEY,
  failures int NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX sign_in_attempt_expiry ON sign_in_attempt (expires_at);
