-- The event names that are counted separately on a day (since 1970, UTC): the standard ones (contract/event.ts), and
-- the first 500 others of a tag. Further names are counted as `(other)`, because anyone can invent names.
CREATE TABLE own_name (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO own_name (name) VALUES
  ('PageView'), ('ViewContent'), ('AddToCart'), ('RemoveFromCart'), ('InitiateCheckout'), ('AddShippingInfo'),
  ('AddPaymentInfo'), ('Purchase'), ('Subscribe'), ('Search'), ('Lead');
CREATE TABLE counted_name (
  day INTEGER NOT NULL,
  tag INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (day, tag, name)
) STRICT, WITHOUT ROWID;
-- The number of these names.
CREATE TABLE counted_day (
  day INTEGER NOT NULL,
  tag INTEGER NOT NULL,
  names INTEGER NOT NULL,
  PRIMARY KEY (day, tag)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER name_counted AFTER INSERT ON counted_name BEGIN
  INSERT INTO counted_day VALUES (new.day, new.tag, 1) ON CONFLICT DO UPDATE SET names = names + 1;
END;

-- Two triggers for each count, so that standard names, which are the most frequent, need only one lookup.
DROP TRIGGER event_counted;
DROP TRIGGER delivery_counted;
DROP TRIGGER delivery_recounted;
CREATE TRIGGER event_counted AFTER INSERT ON event
WHEN EXISTS (SELECT 1 FROM own_name WHERE own_name.name = new.name)
BEGIN
  INSERT INTO event_count
  VALUES (new.tag, new.received_at / 60000, new.name, 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER event_counted_other AFTER INSERT ON event
WHEN NOT EXISTS (SELECT 1 FROM own_name WHERE own_name.name = new.name)
BEGIN
  INSERT INTO counted_name SELECT new.received_at / 86400000, new.tag, new.name
  WHERE coalesce((SELECT names FROM counted_day WHERE day = new.received_at / 86400000 AND tag = new.tag), 0) < 500
  ON CONFLICT DO NOTHING;
  INSERT INTO event_count
  VALUES (new.tag, new.received_at / 60000, iif(
    EXISTS (SELECT 1 FROM counted_name WHERE day = new.received_at / 86400000 AND tag = new.tag AND counted_name.name = new.name),
    new.name, '(other)'
  ), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER delivery_counted AFTER INSERT ON delivery
WHEN new.status <> 'pending'
  AND EXISTS (SELECT 1 FROM own_name WHERE own_name.name = new.name)
BEGIN
  INSERT INTO delivery_count
  VALUES (new.tag, new.at / 60000, new.script, new.name, new.status, coalesce(new.reason, ''), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER delivery_counted_other AFTER INSERT ON delivery
WHEN new.status <> 'pending'
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
CREATE TRIGGER delivery_recounted AFTER UPDATE OF status, reason, at ON delivery
WHEN (new.at <> old.at OR new.status <> old.status OR new.reason IS NOT old.reason)
  AND (new.status <> 'pending' OR new.reason IS NOT NULL)
  AND EXISTS (SELECT 1 FROM own_name WHERE own_name.name = new.name)
BEGIN
  INSERT INTO delivery_count
  VALUES (new.tag, new.at / 60000, new.script, new.name, new.status, coalesce(new.reason, ''), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER delivery_recounted_other AFTER UPDATE OF status, reason, at ON delivery
WHEN (new.at <> old.at OR new.status <> old.status OR new.reason IS NOT old.reason)
  AND (new.status <> 'pending' OR new.reason IS NOT NULL)
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
