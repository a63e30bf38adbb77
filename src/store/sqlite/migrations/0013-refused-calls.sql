-- How many calls of a tag were refused because it or its team was above its rate, by the minute (since 1970) and by whose
-- limit it was: 'team' or 'tag'.
CREATE TABLE refused_count (
  tag INTEGER NOT NULL,
  minute INTEGER NOT NULL,
  whose TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (tag, minute, whose)
) STRICT, WITHOUT ROWID;
