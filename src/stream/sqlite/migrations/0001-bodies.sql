-- One row for each body with at least one new event. Positions have no gaps.
CREATE TABLE body (
  position INTEGER PRIMARY KEY,
  tag TEXT NOT NULL,
  appended_at INTEGER NOT NULL,
  fresh BLOB NOT NULL, -- one bit for each event, 1 if it is new; the first event in the lowest bit
  payload BLOB NOT NULL
) STRICT;

-- All positions up to and including `position` are settled.
CREATE TABLE cursor (one INTEGER PRIMARY KEY CHECK (one = 1), position INTEGER NOT NULL) STRICT;
INSERT INTO cursor (one, position) VALUES (1, 0);

-- Settled positions beyond the cursor.
CREATE TABLE settled (position INTEGER PRIMARY KEY) STRICT;

-- The log of the memtable, in order of arrival: pairs of key and place, 8 bytes each, little endian.
CREATE TABLE recent (row INTEGER PRIMARY KEY, day INTEGER NOT NULL, pairs BLOB NOT NULL) STRICT;

-- The memtable is flushed to segments (table `run`): see 0002.
