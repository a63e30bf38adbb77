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
