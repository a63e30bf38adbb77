-- The users of an e-mail (a keyed fingerprint). Several may claim one; one is confirmed for it by a trusted call.
CREATE TABLE email_user (
  tag INTEGER NOT NULL REFERENCES ref (no),
  fingerprint BLOB NOT NULL,
  kind INTEGER NOT NULL CHECK (kind IN (0, 1, 2)), -- 0: confirmed; 1: a claim; 2: crowded, of no user: no claim is kept
  user TEXT NOT NULL,
  stance INTEGER NOT NULL, -- of a claim: 0 unasked, 1 agrees to everything, 2 refuses something
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (tag, fingerprint, kind, user)
) STRICT, WITHOUT ROWID;
CREATE INDEX email_user_user ON email_user (tag, user);
CREATE INDEX email_user_crowded ON email_user (seen_at) WHERE kind = 2;

-- Until now the first user who gave an e-mail was found by it, whoever called: a claim. What the user agreed to is sealed, so
-- it counts as a refusal, which is never dropped, until the user is written again.
INSERT INTO email_user (tag, fingerprint, kind, user, stance, seen_at)
  SELECT alias.tag, fingerprint, 1, alias.user, 2, seen_at
  FROM alias JOIN user ON user.tag = alias.tag AND user.id = alias.user;
DROP TABLE alias;

-- The user whose click ids and cookies went along with an attempt, because it claims the e-mail of the event.
ALTER TABLE attempt ADD COLUMN joined TEXT;
CREATE INDEX attempt_joined ON attempt (joined) WHERE joined IS NOT NULL;
