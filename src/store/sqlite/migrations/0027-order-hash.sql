-- A keyed fingerprint of the order id of an event, in hex.
ALTER TABLE event ADD COLUMN order_hash TEXT;
CREATE INDEX event_order ON event (tag, order_hash, position, idx) WHERE order_hash IS NOT NULL;
