-- The name of its event, and the start of its current state (epoch ms).
ALTER TABLE delivery ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE delivery ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
UPDATE delivery SET (name, at) = (
  SELECT event.name, event.received_at FROM event
  WHERE event.tag = delivery.tag AND event.position = delivery.position AND event.idx = delivery.idx
) WHERE EXISTS (
  SELECT 1 FROM event
  WHERE event.tag = delivery.tag AND event.position = delivery.position AND event.idx = delivery.idx
);

-- The states of a tag's deliveries, in order of arrival of their events.
CREATE INDEX delivery_stands ON delivery (tag, script, status, reason, position, idx);
CREATE INDEX event_name ON event (tag, name, position, idx);

-- The requests and responses of the attempts of one tag that one commit settled: packed, and sealed by the team's key.
-- A number is never reused, because an attempt may refer to deleted bodies.
CREATE TABLE bodies (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  tag INTEGER NOT NULL REFERENCES ref (no),
  failed INTEGER NOT NULL,
  at INTEGER NOT NULL,
  sealed BLOB NOT NULL
) STRICT;
CREATE INDEX bodies_kept ON bodies (failed, at);
ALTER TABLE attempt ADD COLUMN bodies INTEGER;
ALTER TABLE attempt ADD COLUMN part INTEGER;

-- The numbers of events, and of deliveries by the status that they reached, by minute (since 1970). The triggers count
-- in the transaction of the counted rows. A row that is written twice is counted once.
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

CREATE TRIGGER event_counted AFTER INSERT ON event BEGIN
  INSERT INTO event_count VALUES (new.tag, new.received_at / 60000, new.name, 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER delivery_counted AFTER INSERT ON delivery WHEN new.status <> 'pending' BEGIN
  INSERT INTO delivery_count
  VALUES (new.tag, new.at / 60000, new.script, new.name, new.status, coalesce(new.reason, ''), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
-- A delivery that is pending without a reason waits for its first attempt and has no outcome.
CREATE TRIGGER delivery_recounted AFTER UPDATE OF status, reason, at ON delivery
WHEN (new.at <> old.at OR new.status <> old.status OR new.reason IS NOT old.reason)
  AND (new.status <> 'pending' OR new.reason IS NOT NULL)
BEGIN
  INSERT INTO delivery_count
  VALUES (new.tag, new.at / 60000, new.script, new.name, new.status, coalesce(new.reason, ''), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
