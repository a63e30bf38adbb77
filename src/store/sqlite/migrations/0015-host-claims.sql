-- Several tags may claim a host name; DNS decides which of them it belongs to. Times are epoch ms.
CREATE TABLE host_claim (
  tag TEXT NOT NULL REFERENCES tag (id),
  name TEXT NOT NULL,
  claimed_at INTEGER NOT NULL,
  -- The first and the last time of the current DNS proof; null without one.
  proved_since INTEGER,
  proved_at INTEGER,
  -- The time of the last DNS check.
  checked_at INTEGER,
  -- 1 if the name has no DNS record.
  is_missing INTEGER,
  PRIMARY KEY (tag, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX host_claim_name ON host_claim (name);

-- Existing host names count as proved now. The daily DNS check then has three days to confirm them.
INSERT INTO host_claim (tag, name, claimed_at, proved_since, proved_at)
SELECT tag, name, unixepoch() * 1000, unixepoch() * 1000, unixepoch() * 1000 FROM host;
DROP TABLE host;
