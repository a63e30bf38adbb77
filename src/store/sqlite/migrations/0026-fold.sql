-- Everything before this position of the log (log.ts) has its rows.
CREATE TABLE fold (one INTEGER PRIMARY KEY CHECK (one = 1), segment INTEGER NOT NULL, offset INTEGER NOT NULL) STRICT;
INSERT INTO fold (one, segment, offset) VALUES (1, 0, 0);

-- What waits for its first attempt stands in the log until it has its row.
DROP TABLE planned;

-- Counts are summed up before they are written (fold/countSums.ts).
DROP TRIGGER event_counted;
DROP TRIGGER event_counted_other;
DROP TRIGGER delivery_counted;
DROP TRIGGER delivery_counted_other;
DROP TRIGGER delivery_recounted;
DROP TRIGGER delivery_recounted_other;
