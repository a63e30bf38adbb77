-- The tags whose events were ever spread over several slots, and all slots that may have any of their events.
CREATE TABLE spread (
  tag text COLLATE "C" PRIMARY KEY,
  slots int[] NOT NULL
);
