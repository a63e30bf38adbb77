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

-- row = run × 2^24 + the first line. Some lines of the segment's filter, 64 bytes each.
CREATE TABLE filter (row INTEGER PRIMARY KEY, lines BLOB NOT NULL) STRICT;
