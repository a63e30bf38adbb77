-- The tables that only SQLite has, or has in another form.

-- A number for each id of a tag, script or provider, which the large tables store instead of it. Kept after the tag is
-- deleted. `code` stands for a script in the ids of deliveries (store/deliveryId.ts).
CREATE TABLE ref (no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, code INTEGER NOT NULL) STRICT;
CREATE INDEX ref_code ON ref (code);

CREATE TABLE event (
  tag INTEGER NOT NULL REFERENCES ref (no),
  position INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  name TEXT NOT NULL,
  user TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  consent TEXT NOT NULL,
  place TEXT NOT NULL,
  -- The user that the e-mail of an event matches, if the event has another user id.
  joined TEXT,
  -- A keyed fingerprint of the order id of an event.
  order_hash BLOB,
  PRIMARY KEY (tag, position, idx)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_user ON event (user);
CREATE INDEX event_joined ON event (joined) WHERE joined IS NOT NULL;
CREATE INDEX event_name ON event (tag, name, position, idx);
CREATE INDEX event_order ON event (tag, order_hash, position, idx) WHERE order_hash IS NOT NULL;

-- The id of a delivery is computed of its event and its script (store/deliveryId.ts).
CREATE TABLE delivery (
  position INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  script INTEGER NOT NULL REFERENCES ref (no),
  tag INTEGER NOT NULL REFERENCES ref (no),
  provider INTEGER NOT NULL REFERENCES ref (no),
  status TEXT NOT NULL,
  reason TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  uncounted INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER CHECK ((next_at IS NOT NULL) = (status = 'pending')),
  -- Priority 0: first attempts, 1: retries, 2: replays. Deliveries of a channel with the same queue are sent one after the
  -- other.
  priority INTEGER NOT NULL DEFAULT 0,
  queue TEXT,
  -- 1 while an attempt is in flight; the number of consecutive attempts that failed on this server.
  under_way INTEGER NOT NULL DEFAULT 0,
  crash_count INTEGER NOT NULL DEFAULT 0,
  -- The start of its current state (epoch ms).
  at INTEGER NOT NULL DEFAULT 0,
  -- The last replay of a delivery, and the state before it, such as `dead vendorDown`.
  replay INTEGER,
  before TEXT,
  -- For deliveries in several requests: a JSON list with the result of each successful request. Null if there is none.
  steps TEXT,
  -- The first attempt, if it says no more than this: most deliveries have no other.
  first_at INTEGER,
  first_ms INTEGER,
  http_status INTEGER,
  bodies INTEGER,
  part INTEGER,
  PRIMARY KEY (position, idx, script)
) STRICT, WITHOUT ROWID;
CREATE INDEX delivery_due ON delivery (script, priority, next_at) WHERE status = 'pending';
-- The states of a tag's deliveries, in order of arrival of their events.
CREATE INDEX delivery_status ON delivery (tag, script, status, reason, position, idx);
CREATE INDEX delivery_replay ON delivery (replay, status, script) WHERE replay IS NOT NULL;
-- Replays mostly select failed deliveries, which are few.
CREATE INDEX delivery_failed ON delivery (tag, position, idx) WHERE status IN ('dead', 'refused');

-- The attempts that have no place in the row of their delivery. Rows are added at the end, so that no page is split: a split
-- leaves copies of messages behind, which an erasure does not reach.
CREATE TABLE attempt (
  no INTEGER PRIMARY KEY,
  position INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  script INTEGER NOT NULL,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  http_status INTEGER,
  message TEXT,
  bodies INTEGER,
  part INTEGER,
  -- The user whose click ids and cookies an attempt sent too, because they claim the e-mail of the event.
  joined TEXT,
  UNIQUE (position, idx, script, number),
  FOREIGN KEY (position, idx, script) REFERENCES delivery (position, idx, script)
) STRICT;
CREATE INDEX attempt_joined ON attempt (joined) WHERE joined IS NOT NULL;

CREATE VIEW every_attempt AS
  SELECT position, idx, script, 1 AS number, first_at AS at, first_ms AS duration_ms, http_status, NULL AS message, bodies, part,
    NULL AS joined
  FROM delivery WHERE first_at IS NOT NULL
  UNION ALL
  SELECT position, idx, script, number, at, duration_ms, http_status, message, bodies, part, joined FROM attempt;

-- Events that wait for a consent.
CREATE TABLE held (
  tag INTEGER NOT NULL REFERENCES ref (no),
  user TEXT NOT NULL,
  position INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (tag, position, idx)
) STRICT, WITHOUT ROWID;
CREATE INDEX held_user ON held (tag, user);
CREATE INDEX held_until ON held (until);

-- The requests and responses of the attempts of one tag that one commit settled: packed, and sealed by the team's key.
-- A number is never reused, because an attempt may refer to deleted bodies.
CREATE TABLE bodies (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  tag INTEGER NOT NULL REFERENCES ref (no),
  failed INTEGER NOT NULL,
  at INTEGER NOT NULL,
  sealed BLOB NOT NULL
) STRICT;
CREATE INDEX bodies_kept ON bodies (tag, failed, at);

-- The event names that are counted separately on a day (since 1970, UTC): the standard ones (contract/event.ts), and
-- the first 500 others of a tag. Further names are counted as `(other)`, because anyone can invent names.
CREATE TABLE own_name (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO own_name (name) VALUES
  ('PageView'), ('ViewContent'), ('AddToCart'), ('RemoveFromCart'), ('InitiateCheckout'), ('AddShippingInfo'),
  ('AddPaymentInfo'), ('Purchase'), ('Subscribe'), ('Search'), ('Lead');

-- All records before this place of the log are in the tables.
CREATE TABLE fold (one INTEGER PRIMARY KEY CHECK (one = 1), segment INTEGER NOT NULL, offset INTEGER NOT NULL) STRICT;
INSERT INTO fold (one, segment, offset) VALUES (1, 0, 0);

CREATE TRIGGER name_counted AFTER INSERT ON counted_name BEGIN
  INSERT INTO counted_day VALUES (new.day, new.tag, 1) ON CONFLICT DO UPDATE SET names = names + 1;
END;

-- All that a report of orders reads.
CREATE INDEX shop_order_report ON shop_order (
  tag, placed_at, status, sales_channel, currency, outcome, value
) WHERE settled = 1;

-- How the deliveries of 512 positions stand, and with script 0 the number of their events: a funnel adds up blocks, and reads
-- rows at its two ends alone. The fold adds the new rows of a commit together (fold/countSums.ts); triggers count the others.
CREATE TABLE funnel_count (
  block INTEGER NOT NULL,
  tag INTEGER NOT NULL,
  script INTEGER NOT NULL,
  status TEXT NOT NULL,
  reason TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (block, tag, script, status, reason)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER event_uncounted AFTER DELETE ON event BEGIN
  UPDATE funnel_count SET count = count - 1 WHERE (block, tag, script) = (old.position >> 9, old.tag, 0);
END;
CREATE TRIGGER delivery_recounted AFTER UPDATE OF status, reason ON delivery
WHEN (old.status, old.reason) IS NOT (new.status, new.reason) BEGIN
  UPDATE funnel_count SET count = count - 1 WHERE (block, tag, script) = (old.position >> 9, old.tag, old.script)
    AND (status, reason) = (old.status, ifnull(old.reason, ''));
  INSERT INTO funnel_count VALUES (new.position >> 9, new.tag, new.script, new.status, ifnull(new.reason, ''), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER delivery_uncounted AFTER DELETE ON delivery BEGIN
  UPDATE funnel_count SET count = count - 1 WHERE (block, tag, script) = (old.position >> 9, old.tag, old.script)
    AND (status, reason) = (old.status, ifnull(old.reason, ''));
END;
CREATE TRIGGER funnel_count_ended AFTER UPDATE OF count ON funnel_count WHEN new.count = 0 BEGIN
  DELETE FROM funnel_count WHERE (block, tag, script, status, reason) = (new.block, new.tag, new.script, new.status, new.reason);
END;
