-- One row for each body with at least one new event: its place in the log.
CREATE TABLE body (
  position INTEGER PRIMARY KEY,
  tag TEXT NOT NULL,
  appended_at INTEGER NOT NULL,
  new_indexes BLOB NOT NULL, -- one bit for each event, 1 if it is new; the first event in the lowest bit
  segment INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  length INTEGER NOT NULL
) STRICT;
CREATE INDEX body_segment ON body (segment);

-- Everything before this place of the log is in these tables. `position` is the last assigned position; all positions
-- up to and including `cursor` are settled.
CREATE TABLE checkpoint (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  segment INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  position INTEGER NOT NULL,
  cursor INTEGER NOT NULL
) STRICT;
INSERT INTO checkpoint VALUES (1, 0, 0, 0, 0);

-- Settled positions beyond the cursor.
CREATE TABLE settled (position INTEGER PRIMARY KEY) STRICT;

-- One row for each segment of deduplication keys: immutable keys of one day with their places, in buckets by the highest
-- bits of the key. Segments are merged into larger ones, and deleted.
CREATE TABLE run (
  run INTEGER PRIMARY KEY AUTOINCREMENT,
  day INTEGER NOT NULL, -- the day on which the keys were added, in days since 1970 (UTC)
  level INTEGER NOT NULL, -- the number of merges that produced it
  keys INTEGER NOT NULL,
  bits INTEGER NOT NULL, -- the number of highest bits of a key that select its bucket
  whole INTEGER NOT NULL CHECK (whole IN (0, 1)) -- 1: complete. 0: being written or deleted; not used by lookups
) STRICT;

-- row = run × 2^24 + bucket. Pairs of key and place, 8 bytes each, little endian. An empty bucket has no row.
CREATE TABLE bucket (row INTEGER PRIMARY KEY, pairs BLOB NOT NULL) STRICT;

-- row = run × 2^24 + chunk. Some cells of a slice of the segment's filter, and the seed with which the slice was built.
CREATE TABLE filter (row INTEGER PRIMARY KEY, seed INTEGER NOT NULL, cells BLOB NOT NULL) STRICT;
