-- The users of an e-mail (a keyed fingerprint). Several users may claim it; a trusted call confirms it for one.
CREATE TABLE email_user (
  tag INTEGER NOT NULL REFERENCES ref (no),
  fingerprint BLOB NOT NULL,
  kind INTEGER NOT NULL CHECK (kind IN (0, 1, 2)), -- 0: confirmed; 1: a claim; 2: crowded, without a user: no claim is stored
  user TEXT NOT NULL,
  stance INTEGER NOT NULL, -- of a claim: 0 never asked, 1 agrees to everything, 2 refuses something
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (tag, fingerprint, kind, user)
) STRICT, WITHOUT ROWID;
CREATE INDEX email_user_user ON email_user (tag, user);
CREATE INDEX email_user_crowded ON email_user (seen_at) WHERE kind = 2;

-- Earlier versions stored the first user with an e-mail, from any call. That is a claim. The user's consent is sealed,
-- so the claim counts as a refusal, which is never dropped, until the user is written again.
INSERT INTO email_user (tag, fingerprint, kind, user, stance, seen_at)
  SELECT alias.tag, fingerprint, 1, alias.user, 2, seen_at
  FROM alias JOIN user ON user.tag = alias.tag AND user.id = alias.user;
DROP TABLE alias;

-- The user whose click ids and cookies an attempt sent too, because they claim the e-mail of the event.
ALTER TABLE attempt ADD COLUMN joined TEXT;
CREATE INDEX attempt_joined ON attempt (joined) WHERE joined IS NOT NULL;
