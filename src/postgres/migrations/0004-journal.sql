-- The journal. `slot` is the slot of the tag: a worker reads the pending rows of the slots that it owns. Times are
-- epoch ms; minutes and days are counted since 1970 UTC.
CREATE TABLE event (
  tag text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  idx int NOT NULL,
  slot int NOT NULL,
  name text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  -- The user that the e-mail of the event matches, if the event has another user id.
  joined text COLLATE "C",
  received_at bigint NOT NULL,
  consent text NOT NULL,
  place text NOT NULL,
  -- When the event was planned, by the database clock. Workers plan concurrently, so not in order of position.
  planned_at bigint NOT NULL DEFAULT extract(epoch FROM clock_timestamp()) * 1000,
  -- A keyed fingerprint of the order id of the event, in hex.
  order_hash text COLLATE "C",
  PRIMARY KEY (tag, position, idx)
);
CREATE INDEX event_planned ON event (tag, planned_at);
CREATE INDEX event_user ON event (tag, user_id, position, idx);
CREATE INDEX event_joined ON event (tag, joined, position, idx) WHERE joined IS NOT NULL;
CREATE INDEX event_name ON event (tag, name, position, idx);
CREATE INDEX event_order ON event (tag, order_hash, position, idx) WHERE order_hash IS NOT NULL;

-- The deliveries of an event that wait for their first attempt and have no row yet: a JSON list of [id, script id,
-- provider]. `total` is the number of deliveries of the event. The rows of this table live for about a second.
CREATE TABLE planned (
  slot int NOT NULL,
  position bigint NOT NULL,
  idx int NOT NULL,
  tag text COLLATE "C" NOT NULL,
  total int NOT NULL,
  queue text COLLATE "C",
  deliveries text NOT NULL,
  PRIMARY KEY (slot, position, idx)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);

-- Priority 0: first attempts, 1: retries, 2: replays. Deliveries of a channel with the same queue are sent one after the
-- other. `uncounted`: the attempts that do not count in the retry schedule. `under_way`: an attempt is in flight. `crash_count`:
-- the consecutive attempts that failed on this server. `name`: the event's. `at`: the start of the state. `steps`: a JSON
-- list with the result of each delivered request. `replay`: the last replay, `before` the state before it, such as
-- `dead vendorDown`. `first_at` to `part`: the first attempt, if it is not in `attempt`.
CREATE TABLE delivery (
  position bigint NOT NULL,
  idx int NOT NULL,
  slot int NOT NULL,
  attempts int NOT NULL DEFAULT 0,
  next_at bigint CHECK ((next_at IS NOT NULL) = (status = 'pending')),
  at bigint NOT NULL,
  uncounted int NOT NULL DEFAULT 0,
  crash_count int NOT NULL DEFAULT 0,
  priority smallint NOT NULL DEFAULT 0,
  under_way boolean NOT NULL DEFAULT false,
  id text COLLATE "C" NOT NULL,
  tag text COLLATE "C" NOT NULL,
  script text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  reason text COLLATE "C",
  name text COLLATE "C" NOT NULL,
  queue text COLLATE "C",
  steps text,
  replay text COLLATE "C",
  before text COLLATE "C",
  first_at bigint,
  first_ms int,
  http_status int,
  part int,
  bodies bigint,
  message text,
  -- The funnel counts using this index only.
  PRIMARY KEY (position, idx, script) INCLUDE (status, reason)
);
-- Ids start with their creation time, so that new ones are adjacent in the index. They are unique because they are random:
-- a unique index would refuse a row that another process inserts at the same time, instead of updating it.
CREATE INDEX delivery_id ON delivery (id);
-- Most deliveries are delivered. Lists that include them read the events, newest first.
CREATE INDEX delivery_status ON delivery (tag, script, status, reason, position, idx) WHERE status <> 'delivered';
CREATE INDEX delivery_due ON delivery (script, priority, next_at) WHERE status = 'pending';
CREATE INDEX delivery_slot ON delivery (slot, script, priority, next_at) WHERE status = 'pending';
CREATE INDEX delivery_under_way ON delivery (slot) WHERE under_way;
-- Replays mostly select failed deliveries, which are few.
CREATE INDEX delivery_failed ON delivery (tag, position, idx, script) WHERE status IN ('dead', 'refused');
CREATE INDEX delivery_replay ON delivery (replay, status, script) WHERE replay IS NOT NULL;

-- When a delivery of a channel was last delivered.
CREATE TABLE last_delivery (
  tag text COLLATE "C" NOT NULL,
  script text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (tag, script)
) WITH (fillfactor = 50);

-- The attempts that are not stored with their delivery: later ones, those that recorded issues, and those with
-- `joined`. `delivery` is its id. `bodies` and `part` locate the requests and responses.
CREATE TABLE attempt (
  number int NOT NULL,
  duration_ms int NOT NULL,
  at bigint NOT NULL,
  bodies bigint,
  http_status int,
  part int,
  delivery text COLLATE "C" NOT NULL,
  message text,
  -- The user whose click ids and cookies were also sent in the attempt, because that user claims the e-mail of the
  -- event.
  joined text COLLATE "C",
  PRIMARY KEY (delivery, number)
);
CREATE INDEX attempt_joined ON attempt (joined) WHERE joined IS NOT NULL;

CREATE VIEW every_attempt AS
  SELECT id AS delivery, 1 AS number, first_at AS at, first_ms AS duration_ms, http_status, message,
    NULL::text COLLATE "C" AS joined, bodies, part
  FROM delivery WHERE first_at IS NOT NULL
  UNION ALL
  SELECT delivery, number, at, duration_ms, http_status, message, joined, bodies, part FROM attempt;

-- The requests and responses of the attempts of one tag that were settled in one commit: packed, and sealed with the
-- team's key.
CREATE TABLE bodies (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at bigint NOT NULL,
  failed boolean NOT NULL,
  tag text COLLATE "C" NOT NULL,
  sealed bytea NOT NULL
);
-- Sealed data does not compress.
ALTER TABLE bodies ALTER COLUMN sealed SET STORAGE EXTERNAL;
CREATE INDEX bodies_kept ON bodies (tag, failed, at);

-- Events that wait for the consent of a user, up to a time.
CREATE TABLE held (
  tag text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  idx int NOT NULL,
  slot int NOT NULL,
  until bigint NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (tag, position, idx)
);
CREATE INDEX held_user ON held (tag, user_id, position, idx);
CREATE INDEX held_until ON held (slot, until, position, idx);
