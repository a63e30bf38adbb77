-- What deployments of a tag consist of, each part once. `hash` is of `body`. `script`: absent for settings.
CREATE TABLE snapshot_part (
  no INTEGER PRIMARY KEY,
  tag TEXT NOT NULL REFERENCES tag (id),
  hash TEXT NOT NULL,
  script TEXT,
  body TEXT NOT NULL,
  UNIQUE (tag, hash)
) STRICT;

-- Parts of before have random hashes: the next deployment writes them once more.
INSERT INTO snapshot_part (tag, hash, script, body)
SELECT tag, lower(hex(randomblob(16))), script, body FROM (
  SELECT tag, NULL AS script, json_remove(snapshot, '$.scripts', '$.number', '$.tagId') AS body FROM deployment
  UNION
  SELECT tag, each.value ->> 'scriptId', json_remove(each.value, '$.paused')
  FROM deployment, json_each(snapshot, '$.scripts') AS each
);

-- The hashes of its parts, a JSON array.
ALTER TABLE deployment ADD COLUMN parts TEXT NOT NULL DEFAULT '[]';
UPDATE deployment SET parts = (
  SELECT json_group_array(hash ORDER BY place) FROM (
    SELECT hash, -1 AS place FROM snapshot_part
    WHERE tag = deployment.tag AND body = json_remove(snapshot, '$.scripts', '$.number', '$.tagId')
    UNION ALL
    SELECT hash, each.key FROM json_each(deployment.snapshot, '$.scripts') AS each
    JOIN snapshot_part ON tag = deployment.tag AND body = json_remove(each.value, '$.paused')
  )
);
ALTER TABLE deployment DROP COLUMN snapshot;
