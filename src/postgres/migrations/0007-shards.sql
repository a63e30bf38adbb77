-- The event shard that has the rows of the tag's events and users.
ALTER TABLE tag ADD COLUMN shard int NOT NULL DEFAULT 0;

-- One row: the id of this schema. Of an event shard also its number, and the id of the schema with the control part.
CREATE TABLE identity (id text NOT NULL, shard int, control text);
INSERT INTO identity (id) VALUES (gen_random_uuid()::text);

-- In the control schema: the ids of the event shards.
CREATE TABLE shard (number int PRIMARY KEY, id text NOT NULL UNIQUE);

-- In the control schema: changes that an event shard is to write.
CREATE TABLE owed_write (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  shard int NOT NULL,
  changes text NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);
