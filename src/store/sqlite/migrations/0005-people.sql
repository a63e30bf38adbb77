-- The user that the e-mail of an event matches, if the event has another user id.
ALTER TABLE event ADD COLUMN joined TEXT;
CREATE INDEX event_user ON event (user);
CREATE INDEX event_joined ON event (joined) WHERE joined IS NOT NULL;

-- Events that wait for a consent.
CREATE TABLE held (
  tag INTEGER NOT NULL REFERENCES ref (no),
  user TEXT NOT NULL,
  position INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  until INTEGER NOT NULL,
  PRIMARY KEY (tag, position, idx)
) STRICT, WITHOUT ROWID;
CREATE INDEX held_user ON held (tag, user);
CREATE INDEX held_until ON held (until);

CREATE INDEX user_seen ON user (seen_at);
-- Erased users, of whom only the erasure is stored.
CREATE INDEX user_erased ON user (seen_at) WHERE length(sealed) = 0;
CREATE INDEX alias_user ON alias (tag, user);
