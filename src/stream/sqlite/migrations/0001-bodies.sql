-- One row for each body of which at least one event was fresh. Positions have no gaps.
CREATE TABLE body (
  position INTEGER PRIMARY KEY,
  tag TEXT NOT NULL,
  appended_at INTEGER NOT NULL,
  fresh BLOB NOT NULL, -- one bit for each event, the first event lowest
  payload BLOB NOT NULL
) STRICT;

-- Everything up to and including `position` is settled.
CREATE TABLE cursor (one INTEGER PRIMARY KEY CHECK (one = 1), position INTEGER NOT NULL) STRICT;
INSERT INTO cursor (one, position) VALUES (1, 0);

-- Positions beyond the cursor that were settled before one that lies in front of them.
CREATE TABLE settled (position INTEGER PRIMARY KEY) STRICT;

-- Keys that were taken lately, in the order they came: pairs of key and place, 8 bytes each, lowest byte first.
CREATE TABLE recent (row INTEGER PRIMARY KEY, day INTEGER NOT NULL, pairs BLOB NOT NULL) STRICT;

-- From there they leave in runs: see 0002.
