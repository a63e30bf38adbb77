-- For deliveries in several requests: a JSON list with the result of each successful request. Null if there is none.
ALTER TABLE delivery ADD COLUMN steps TEXT;
