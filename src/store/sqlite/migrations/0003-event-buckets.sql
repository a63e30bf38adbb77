-- Users and orders come in random order: in one index of all events, each new event would change a page of its own. So their
-- indexes begin with the bucket of an event: 16,384 events that were written one after the other.
ALTER TABLE event ADD COLUMN bucket INTEGER NOT NULL DEFAULT 0;
DROP INDEX event_user;
DROP INDEX event_joined;
DROP INDEX event_order;
CREATE INDEX event_user ON event (bucket, user);
CREATE INDEX event_joined ON event (bucket, joined) WHERE joined IS NOT NULL;
CREATE INDEX event_order ON event (bucket, tag, order_hash) WHERE order_hash IS NOT NULL;

-- Reads one row for each bucket.
CREATE VIEW event_bucket (no) AS
  WITH RECURSIVE found (no) AS (
    SELECT min(bucket) FROM event
    UNION ALL SELECT (SELECT min(bucket) FROM event WHERE bucket > found.no) FROM found WHERE found.no IS NOT NULL
  )
  SELECT no FROM found WHERE no IS NOT NULL;
