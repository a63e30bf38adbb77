-- A user of a tag. `sealed` is empty for an erased user. `version` grows with each write.
CREATE TABLE tag_user (
  tag text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  sealed bytea NOT NULL,
  seen_at bigint NOT NULL,
  version bigint NOT NULL,
  PRIMARY KEY (tag, id)
);
CREATE INDEX tag_user_seen ON tag_user (tag, seen_at);
CREATE INDEX tag_user_erased ON tag_user (tag, seen_at) WHERE length(sealed) = 0;

-- The users of an e-mail (a keyed fingerprint). Several users may claim it; a trusted call confirms it for one.
-- `kind` is 0 for the confirmed user, 1 for a claim, and 2 without a user if the e-mail is crowded: no claim is stored.
-- `stance` of a claim is 0 for never asked, 1 for agrees to everything, 2 for refuses something.
CREATE TABLE email_user (
  tag text COLLATE "C" NOT NULL,
  fingerprint bytea NOT NULL,
  kind int NOT NULL CHECK (kind IN (0, 1, 2)),
  user_id text COLLATE "C" NOT NULL,
  stance int NOT NULL,
  seen_at bigint NOT NULL,
  PRIMARY KEY (tag, fingerprint, kind, user_id)
);
-- Of two processes that confirm an e-mail at once, the first to commit decides.
CREATE UNIQUE INDEX email_user_confirmed ON email_user (tag, fingerprint) WHERE kind = 0;
CREATE INDEX email_user_user ON email_user (tag, user_id);
CREATE INDEX email_user_crowded ON email_user (seen_at) WHERE kind = 2;

-- The users with a custom key and value, by a keyed fingerprint of both.
CREATE TABLE custom_user (
  tag text COLLATE "C" NOT NULL,
  fingerprint bytea NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (tag, fingerprint, user_id)
);
CREATE INDEX custom_user_user ON custom_user (tag, user_id);

-- The number of a tag's calls that were refused by a rate limit, by minute (since 1970) and by the limit that they
-- exceeded: 'team' or 'tag'.
CREATE TABLE refused_count (
  tag text COLLATE "C" NOT NULL,
  minute bigint NOT NULL,
  scope text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (tag, minute, scope)
);

-- The latencies of attempts by minute and bucket (kit/histogram.ts). `kind` is 0 for the time that the vendor took to
-- answer, 1 for the time from the receipt of an event to its delivery.
CREATE TABLE latency_count (
  tag text COLLATE "C" NOT NULL,
  minute bigint NOT NULL,
  script text COLLATE "C" NOT NULL,
  kind int NOT NULL,
  bucket int NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (tag, minute, script, kind, bucket)
);

-- What came to a tag URL by minute. `code` is 'accepted', 'duplicate' or 'rejected' for events, and the code of the
-- Error object for refused calls.
CREATE TABLE intake_count (
  tag text COLLATE "C" NOT NULL,
  minute bigint NOT NULL,
  code text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (tag, minute, code)
);

-- The last refused calls of a tag. `number` grows.
CREATE TABLE refused_call (
  tag text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  at bigint NOT NULL,
  code text NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  origin text,
  PRIMARY KEY (tag, number)
);

-- The last call of each kind by pages of a host, or by a server (an empty host).
CREATE TABLE seen_caller (
  tag text COLLATE "C" NOT NULL,
  call text COLLATE "C" NOT NULL,
  host text COLLATE "C" NOT NULL,
  sdk_version text,
  at bigint NOT NULL,
  PRIMARY KEY (tag, call, host)
);

-- How often an event came again and was answered as a duplicate, by the deduplication key of the event (16 hexadecimal
-- digits). `at` is the last time (epoch ms). A row is written only for a duplicate.
CREATE TABLE event_repeat (
  tag text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (tag, key)
);
CREATE INDEX event_repeat_at ON event_repeat (tag, at);

-- How many delivered events of a channel had its match keys, and faults of them, by hour (in minutes since 1970). `source`
-- is 0 for browsers, 1 for servers. `what` names what is counted (store/matchCounts.ts). No value is stored.
CREATE TABLE match_count (
  tag text COLLATE "C" NOT NULL,
  minute bigint NOT NULL,
  script text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  source int NOT NULL,
  what text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (tag, minute, script, name, source, what)
);

-- The place of the last event with each fault of a channel.
CREATE TABLE match_example (
  tag text COLLATE "C" NOT NULL,
  script text COLLATE "C" NOT NULL,
  what text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  idx int NOT NULL,
  PRIMARY KEY (tag, script, what)
);
