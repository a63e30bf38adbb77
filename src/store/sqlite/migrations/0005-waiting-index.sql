-- What the poll for due deliveries reads: those that are not in flight.
CREATE INDEX delivery_waiting ON delivery (script, priority, next_at) WHERE status = 'pending' AND under_way = 0;
