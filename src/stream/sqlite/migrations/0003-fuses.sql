-- Binary fuse filters replace the earlier filters. A segment without a filter is read by every lookup until it is merged.
DROP TABLE filter;

-- row = run × 2^24 + chunk. Some cells of a slice, and the seed with which the slice was built.
CREATE TABLE filter (row INTEGER PRIMARY KEY, seed INTEGER NOT NULL, cells BLOB NOT NULL) STRICT;
