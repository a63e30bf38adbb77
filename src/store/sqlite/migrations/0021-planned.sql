-- The deliveries of an event that wait for their first attempt and have no row yet: a JSON list of [id, script id,
-- provider]. A row of `delivery` is inserted when an attempt ends, or for all of them at once when somebody reads what
-- is pending. `total` is the number of deliveries of the event. The rows of this table live for about a second.
CREATE TABLE planned (
  position INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  tag INTEGER NOT NULL REFERENCES ref (no),
  total INTEGER NOT NULL,
  queue TEXT,
  deliveries TEXT NOT NULL,
  PRIMARY KEY (position, idx)
) STRICT, WITHOUT ROWID;

-- A delivery may now be inserted with the outcome of its first attempt. Pending with a reason is an outcome.
DROP TRIGGER delivery_counted;
DROP TRIGGER delivery_counted_other;
CREATE TRIGGER delivery_counted AFTER INSERT ON delivery
WHEN (new.status <> 'pending' OR new.reason IS NOT NULL)
  AND EXISTS (SELECT 1 FROM own_name WHERE own_name.name = new.name)
BEGIN
  INSERT INTO delivery_count
  VALUES (new.tag, new.at / 60000, new.script, new.name, new.status, coalesce(new.reason, ''), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER delivery_counted_other AFTER INSERT ON delivery
WHEN (new.status <> 'pending' OR new.reason IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM own_name WHERE own_name.name = new.name)
BEGIN
  INSERT INTO counted_name SELECT new.at / 86400000, new.tag, new.name
  WHERE coalesce((SELECT names FROM counted_day WHERE day = new.at / 86400000 AND tag = new.tag), 0) < 500
  ON CONFLICT DO NOTHING;
  INSERT INTO delivery_count
  VALUES (new.tag, new.at / 60000, new.script, iif(
    EXISTS (SELECT 1 FROM counted_name WHERE day = new.at / 86400000 AND tag = new.tag AND counted_name.name = new.name),
    new.name, '(other)'
  ), new.status, coalesce(new.reason, ''), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
