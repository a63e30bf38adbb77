-- Keys leave `recent` in runs: the keys of one stretch of time, with their places, in buckets by the highest bits of the key.
-- Nothing is ever added to a run that is whole; runs are merged into larger ones, and dropped.
CREATE TABLE run (
  run INTEGER PRIMARY KEY AUTOINCREMENT,
  day INTEGER NOT NULL, -- days since 1970 (UTC), on which the keys were taken
  level INTEGER NOT NULL, -- how many merges it has gone through
  keys INTEGER NOT NULL,
  bits INTEGER NOT NULL, -- a key lies in the bucket that its highest bits name
  whole INTEGER NOT NULL CHECK (whole IN (0, 1)) -- 0: being written, or to be cleared away; it is never asked
) STRICT;

-- run × 2^24 + bucket; pairs of key and place, 8 bytes each, lowest byte first. An empty bucket has no row.
CREATE TABLE bucket (row INTEGER PRIMARY KEY, pairs BLOB NOT NULL) STRICT;

-- run × 2^24 + the first line; some lines of the run's filter, 64 bytes each.
CREATE TABLE filter (row INTEGER PRIMARY KEY, lines BLOB NOT NULL) STRICT;
