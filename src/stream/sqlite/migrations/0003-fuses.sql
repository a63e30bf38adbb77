-- Filters of another kind. A run that is left without one is asked each time, until it is merged.
DROP TABLE filter;

-- run × 2^24 + piece; some cells of a slice, and the seed with which the slice was solved.
CREATE TABLE filter (row INTEGER PRIMARY KEY, seed INTEGER NOT NULL, cells BLOB NOT NULL) STRICT;
