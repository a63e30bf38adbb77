-- A running process. `until`: the end of its lease (epoch ms of the database); `applied_change`: the last change that
-- it has applied. `slots`: whether it works on slots. The row is deleted when the lease has ended or the process stops.
CREATE TABLE member (
  id text COLLATE "C" PRIMARY KEY,
  role text NOT NULL,
  version text NOT NULL,
  until_ms bigint NOT NULL,
  applied_change bigint NOT NULL DEFAULT 0
);

-- Each event lies in one of 256 slots. A slot has one owner or none.
CREATE TABLE slot (
  no int PRIMARY KEY,
  owner text COLLATE "C"
);
INSERT INTO slot (no) SELECT generate_series(0, 255);

-- Work that one process at a time does.
CREATE TABLE lease (
  name text COLLATE "C" PRIMARY KEY,
  owner text COLLATE "C" NOT NULL,
  until_ms bigint NOT NULL
);

-- Changes that every process must apply: a deployment, a key, a rewritten event. `seq` follows the order of commits.
CREATE TABLE change (
  seq bigint PRIMARY KEY,
  kind text NOT NULL,
  id text NOT NULL,
  at_ms bigint NOT NULL
);
