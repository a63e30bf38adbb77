-- The latencies of attempts by minute (since 1970) and bucket (kit/histogram.ts). `kind` is 0 for the time that the
-- vendor took to answer, 1 for the time from the receipt of an event to its delivery.
CREATE TABLE latency_count (
  tag INTEGER NOT NULL,
  minute INTEGER NOT NULL,
  script INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (tag, minute, script, kind, bucket)
) STRICT, WITHOUT ROWID;

-- What came to a tag URL by minute. `code` is 'accepted', 'duplicate' or 'rejected' for events, and the code of the
-- Error object for refused calls.
CREATE TABLE intake_count (
  tag INTEGER NOT NULL,
  minute INTEGER NOT NULL,
  code TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (tag, minute, code)
) STRICT, WITHOUT ROWID;

-- The last refused calls of a tag. `number` grows.
CREATE TABLE refused_call (
  tag INTEGER NOT NULL,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  code TEXT NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  origin TEXT,
  PRIMARY KEY (tag, number)
) STRICT, WITHOUT ROWID;

-- The last call of each kind by pages of a host, or by a server (an empty host).
CREATE TABLE seen_caller (
  tag INTEGER NOT NULL,
  call TEXT NOT NULL,
  host TEXT NOT NULL,
  sdk_version TEXT,
  at INTEGER NOT NULL,
  PRIMARY KEY (tag, call, host)
) STRICT, WITHOUT ROWID;
