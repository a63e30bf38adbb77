-- The attempts to sign in or up, counted by a keyed fingerprint of what they name: an address, an e-mail, an invitation or a
-- person.
CREATE TABLE sign_in_attempt (
  name bytea PRIMARY KEY,
  failures int NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX sign_in_attempt_expiry ON sign_in_attempt (expires_at);
