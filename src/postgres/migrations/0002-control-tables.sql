-- Tables and columns of `store/sql/migrations` that only PostgreSQL has.
-- The event shard that has the rows of the tag's events and users.
ALTER TABLE tag ADD COLUMN shard int NOT NULL DEFAULT 0;
ALTER TABLE replay ADD COLUMN slot int NOT NULL;
ALTER TABLE event_count SET (fillfactor = 50);
ALTER TABLE delivery_count SET (fillfactor = 50);
ALTER TABLE issue_count SET (fillfactor = 50);
CREATE INDEX person_role ON person (role, no);
CREATE INDEX token_team ON token (team, no);
CREATE INDEX tag_team ON tag (team, no);
CREATE INDEX script_tag ON script (tag, no);
CREATE INDEX secret_version_script ON secret_version (script);
CREATE INDEX application_team ON application (team, no);
CREATE INDEX webhook_run_tag ON webhook_run (tag);
ALTER TABLE tag_user DROP COLUMN no;
-- If two processes confirm an e-mail at once, the first to commit wins.
CREATE UNIQUE INDEX email_user_confirmed ON email_user (tag, fingerprint) WHERE kind = 0;

-- The store writes of the last hour. A repeated write whose answer was lost is found here.
CREATE TABLE write_mark (
  id uuid PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  runs int NOT NULL DEFAULT 1
);
CREATE INDEX write_mark_at ON write_mark (at);

-- The tables into which a backup of files was moved, and the number of moved rows of each. `source`: the time of the
-- backup.
CREATE TABLE moved_table (
  name text COLLATE "C" PRIMARY KEY,
  source text NOT NULL,
  rows bigint NOT NULL
);

-- Dropped tags that may still have rows. The rows are deleted in slices, because a large tag has millions of users.
CREATE TABLE dropped_tag (
  tag text COLLATE "C" PRIMARY KEY
);

-- One row: the id of this schema. For an event shard also its number, and the id of the control schema.
CREATE TABLE identity (id text NOT NULL, shard int, control text);
INSERT INTO identity (id) VALUES (gen_random_uuid()::text);

-- In the control schema: the ids of the event shards.
CREATE TABLE shard (number int PRIMARY KEY, id text NOT NULL UNIQUE);

-- In the control schema: deferred changes of event shards.
CREATE TABLE deferred_write (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  shard int NOT NULL,
  changes text NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);
