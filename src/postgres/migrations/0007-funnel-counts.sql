-- How the deliveries of 16,384 positions of a tag stand, and with the script '' the number of their events: a funnel adds up blocks,
-- and counts rows at its two ends alone. Each connection adds to rows of its own (`backend`), so that no writer waits for another.
CREATE TABLE funnel_count (
  tag text COLLATE "C" NOT NULL,
  block bigint NOT NULL,
  script text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  reason text COLLATE "C" NOT NULL,
  backend int NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (tag, block, script, status, reason, backend)
) WITH (fillfactor = 50);

-- `changed`: the new rows of a statement with the argument 1, the deleted ones with -1.
CREATE FUNCTION count_deliveries() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    INSERT INTO funnel_count AS known
    SELECT tag, position >> 14, script, status, coalesce(reason, ''), pg_backend_pid(), TG_ARGV[0]::int * count(*)
    FROM changed GROUP BY 1, 2, 3, 4, 5
    ON CONFLICT (tag, block, script, status, reason, backend) DO UPDATE SET count = known.count + excluded.count;
    RETURN NULL;
  END $$;

CREATE FUNCTION recount_delivery() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    INSERT INTO funnel_count AS known VALUES
      (old.tag, old.position >> 14, old.script, old.status, coalesce(old.reason, ''), pg_backend_pid(), -1),
      (new.tag, new.position >> 14, new.script, new.status, coalesce(new.reason, ''), pg_backend_pid(), 1)
    ON CONFLICT (tag, block, script, status, reason, backend) DO UPDATE SET count = known.count + excluded.count;
    RETURN NULL;
  END $$;

-- The counts of a block go with its last event. Their rows are locked first: another connection that has added an event to the
-- block meanwhile has then committed, and the next statement sees its event; one that adds an event later waits, and counts anew.
CREATE FUNCTION count_events() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  DECLARE
    own record;
  BEGIN
    INSERT INTO funnel_count AS known
    SELECT tag, position >> 14, '', '', '', pg_backend_pid(), TG_ARGV[0]::int * count(*) FROM changed GROUP BY 1, 2
    ON CONFLICT (tag, block, script, status, reason, backend) DO UPDATE SET count = known.count + excluded.count;
    IF TG_OP = 'INSERT' THEN
      RETURN NULL;
    END IF;
    FOR own IN SELECT DISTINCT tag, position >> 14 AS block FROM changed ORDER BY 1, 2 LOOP
      CONTINUE WHEN EXISTS (
        SELECT FROM event WHERE event.tag = own.tag
          AND event.position >= own.block << 14 AND event.position < (own.block + 1) << 14);
      PERFORM FROM funnel_count WHERE tag = own.tag AND block = own.block FOR UPDATE;
      DELETE FROM funnel_count WHERE tag = own.tag AND block = own.block AND NOT EXISTS (
        SELECT FROM event WHERE event.tag = own.tag
          AND event.position >= own.block << 14 AND event.position < (own.block + 1) << 14);
    END LOOP;
    RETURN NULL;
  END $$;

CREATE TRIGGER delivery_counted AFTER INSERT ON delivery REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries('1');
CREATE TRIGGER delivery_uncounted AFTER DELETE ON delivery REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries('-1');
CREATE TRIGGER delivery_recounted AFTER UPDATE ON delivery FOR EACH ROW
  WHEN ((old.status, old.reason) IS DISTINCT FROM (new.status, new.reason)) EXECUTE FUNCTION recount_delivery();
CREATE TRIGGER event_counted AFTER INSERT ON event REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_events('1');
CREATE TRIGGER event_uncounted AFTER DELETE ON event REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_events('-1');

INSERT INTO funnel_count
SELECT tag, position >> 14, script, status, coalesce(reason, ''), 0, count(*) FROM delivery GROUP BY 1, 2, 3, 4, 5;
INSERT INTO funnel_count SELECT tag, position >> 14, '', '', '', 0, count(*) FROM event GROUP BY 1, 2;
