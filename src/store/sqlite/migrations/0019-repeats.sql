-- How often an event came again and was answered as a duplicate, by the deduplication key of the event (16 hexadecimal
-- digits). `at` is the last time (epoch ms). A row is written only for a duplicate.
CREATE TABLE event_repeat (
  tag INTEGER NOT NULL,
  key TEXT NOT NULL,
  at INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (tag, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_repeat_at ON event_repeat (at);
