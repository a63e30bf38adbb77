-- The number of a tag's calls that were refused by a rate limit, by minute (since 1970) and by the limit that they
-- exceeded: 'team' or 'tag'.
CREATE TABLE refused_count (
  tag INTEGER NOT NULL,
  minute INTEGER NOT NULL,
  whose TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (tag, minute, whose)
) STRICT, WITHOUT ROWID;
