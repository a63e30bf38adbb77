-- Several tags may claim a host name; DNS decides which of them it is. Times are epoch ms.
CREATE TABLE host_claim (
  tag TEXT NOT NULL REFERENCES tag (id),
  name TEXT NOT NULL,
  claimed_at INTEGER NOT NULL,
  -- Since when, and when last, DNS has shown that it is this tag's; null where it never has.
  proved_since INTEGER,
  proved_at INTEGER,
  -- When DNS was asked last.
  checked_at INTEGER,
  -- 1 where DNS said that the name has no record.
  is_missing INTEGER,
  PRIMARY KEY (tag, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX host_claim_name ON host_claim (name);

-- Names that were led here before there were proofs count as proved now: the daily look at DNS has its three days.
INSERT INTO host_claim (tag, name, claimed_at, proved_since, proved_at)
SELECT tag, name, unixepoch() * 1000, unixepoch() * 1000, unixepoch() * 1000 FROM host;
DROP TABLE host;
