-- What became of orders in each channel. Few texts for many orders: a report groups their numbers.
CREATE TABLE order_outcome (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tag text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  UNIQUE (tag, outcome)
);

-- The orders of shops. `outcome`: a number of `order_outcome`; current if the order is settled. `touched` counts
-- what may have changed it. No column has data about a person.
CREATE TABLE shop_order (
  no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tag text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  order_id text COLLATE "C" NOT NULL,
  aliases text COLLATE "C" NOT NULL,
  placed_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  status text COLLATE "C" NOT NULL,
  sales_channel text COLLATE "C",
  currency text COLLATE "C",
  value double precision,
  tax double precision,
  shipping double precision,
  discount double precision,
  refunded double precision,
  source text COLLATE "C",
  settled int NOT NULL DEFAULT 0,
  outcome bigint,
  touched int NOT NULL DEFAULT 0,
  UNIQUE (tag, id)
);
CREATE INDEX shop_order_placed ON shop_order (tag, placed_at, no);
CREATE INDEX shop_order_unsettled ON shop_order (tag, placed_at, no) WHERE settled = 0;

-- The ids and aliases of orders, by keyed fingerprints. An id belongs to one order.
CREATE TABLE shop_order_name (
  tag text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  ord text COLLATE "C" NOT NULL,
  PRIMARY KEY (tag, hash)
);
CREATE INDEX shop_order_name_order ON shop_order_name (tag, ord);

-- The Purchase events that have an order id: what is compared with the order. `ord`: the order, once it is known.
CREATE TABLE purchase (
  position bigint NOT NULL,
  idx int NOT NULL,
  tag text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  event_hash text COLLATE "C",
  ord text COLLATE "C",
  received_at bigint NOT NULL,
  browser int NOT NULL,
  value double precision,
  net double precision,
  currency text COLLATE "C",
  PRIMARY KEY (position, idx)
);
CREATE INDEX purchase_hash ON purchase (tag, hash);
CREATE INDEX purchase_event_hash ON purchase (tag, event_hash) WHERE event_hash IS NOT NULL;
CREATE INDEX purchase_order ON purchase (tag, ord) WHERE ord IS NOT NULL;
CREATE INDEX purchase_unknown ON purchase (tag, received_at) WHERE ord IS NULL;

-- What shops sent about orders, sealed, for seven days; and the keyed fingerprints of the people in it.
CREATE TABLE order_payload (
  tag text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  sealed bytea NOT NULL,
  PRIMARY KEY (tag, id)
);
CREATE INDEX order_payload_at ON order_payload (tag, at);
CREATE TABLE order_payload_person (
  tag text COLLATE "C" NOT NULL,
  person text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  PRIMARY KEY (tag, person, id)
);
CREATE INDEX order_payload_person_order ON order_payload_person (tag, id);
