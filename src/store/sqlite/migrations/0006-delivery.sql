-- 0: first attempts, 1: repeated ones, 2: replays. What shares a queue of its channel is made one after the other.
ALTER TABLE delivery ADD COLUMN lane INTEGER NOT NULL DEFAULT 0;
ALTER TABLE delivery ADD COLUMN queue TEXT;
-- Whether an attempt has begun and not ended; how many in a row came to nothing on our side.
ALTER TABLE delivery ADD COLUMN under_way INTEGER NOT NULL DEFAULT 0;
ALTER TABLE delivery ADD COLUMN spoilt INTEGER NOT NULL DEFAULT 0;

UPDATE delivery SET lane = 1 WHERE status = 'pending' AND attempts > 0;
UPDATE delivery SET under_way = 1 WHERE status = 'pending'
  AND attempts > (SELECT count(*) FROM attempt WHERE attempt.delivery = delivery.no);

-- By lane as well: what is repeated or replayed hides nothing that is new.
DROP INDEX delivery_due;
CREATE INDEX delivery_due ON delivery (script, lane, next_at) WHERE status = 'pending';

-- Channels to which nothing is sent for a while, because of their vendor.
CREATE TABLE channel_pause (
  script INTEGER PRIMARY KEY REFERENCES ref (no),
  tag INTEGER NOT NULL REFERENCES ref (no),
  reason TEXT NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  times INTEGER NOT NULL,
  secrets TEXT NOT NULL
) STRICT;
