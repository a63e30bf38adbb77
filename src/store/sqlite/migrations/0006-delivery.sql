-- Lane 0: first attempts, 1: retries, 2: replays. Deliveries of a channel with the same queue are sent one after the
-- other.
ALTER TABLE delivery ADD COLUMN lane INTEGER NOT NULL DEFAULT 0;
ALTER TABLE delivery ADD COLUMN queue TEXT;
-- Whether an attempt is in flight; the number of consecutive attempts that failed on this server.
ALTER TABLE delivery ADD COLUMN under_way INTEGER NOT NULL DEFAULT 0;
ALTER TABLE delivery ADD COLUMN spoilt INTEGER NOT NULL DEFAULT 0;

UPDATE delivery SET lane = 1 WHERE status = 'pending' AND attempts > 0;
UPDATE delivery SET under_way = 1 WHERE status = 'pending'
  AND attempts > (SELECT count(*) FROM attempt WHERE attempt.delivery = delivery.no);

-- By lane too, so that retries and replays do not hide new deliveries.
DROP INDEX delivery_due;
CREATE INDEX delivery_due ON delivery (script, lane, next_at) WHERE status = 'pending';

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
