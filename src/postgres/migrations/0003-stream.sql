-- The tables of a day and of a generation are created when they are needed, and dropped as a whole:
--   body_<day>: the records that were appended on a day (days since 1970, UTC). Its sequence is position_<day>.
--   seen_<generation>: the deduplication keys that were stored in four days. `place` is position << 9 | index.
-- Statements name them directly: creating or dropping a partition of one table would lock all its partitions.

-- A record. position: day << 38 | shard << 32 | sequence. `writer` marks the statement that stored it, so that a
-- repeated statement finds its own records. `events`: the number of events; `new_indexes`: the indexes of the new ones,
-- null if all are new. Payloads are encrypted, so compression gains nothing.
CREATE TABLE body_template (
  position bigint NOT NULL,
  tag text COLLATE "C" NOT NULL,
  slot int NOT NULL,
  appended_ms bigint NOT NULL,
  writer bigint NOT NULL,
  events int NOT NULL,
  new_indexes int2[],
  payload bytea NOT NULL
);
ALTER TABLE body_template ALTER COLUMN payload SET STORAGE EXTERNAL;

-- Records that are still needed after the table of their day was dropped.
CREATE TABLE body_kept (LIKE body_template INCLUDING ALL, PRIMARY KEY (position));

-- Records that are not settled. `xid` is the transaction that stored the record: positions become visible out of order,
-- but a reader that has seen all transactions up to one has missed no record of them. `events`: the number of new
-- events.
CREATE TABLE todo (
  slot int NOT NULL,
  xid bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
  position bigint NOT NULL,
  tag text COLLATE "C" NOT NULL,
  events int NOT NULL,
  bytes int NOT NULL,
  PRIMARY KEY (slot, xid, position)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);

-- Tags whose events were ever spread over several slots, and all slots that may have events of them.
CREATE TABLE spread (
  tag text COLLATE "C" PRIMARY KEY,
  slots int[] NOT NULL
);
