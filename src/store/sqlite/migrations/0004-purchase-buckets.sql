-- The indexes of purchases begin with the bucket of their event, as those of users and orders do (0003): fingerprints come in
-- random order too.
ALTER TABLE purchase ADD COLUMN bucket INTEGER NOT NULL DEFAULT 0;
UPDATE purchase SET bucket = event.bucket FROM event JOIN ref ON ref.no = event.tag
WHERE ref.id = purchase.tag AND event.position = purchase.position AND event.idx = purchase.idx;
DROP INDEX purchase_hash;
DROP INDEX purchase_event_hash;
CREATE INDEX purchase_hash ON purchase (bucket, tag, hash);
CREATE INDEX purchase_event_hash ON purchase (bucket, tag, event_hash) WHERE event_hash IS NOT NULL;
