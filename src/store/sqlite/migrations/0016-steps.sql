-- A delivery in several requests: a JSON list with the result of each request that succeeded. Absent where none did.
ALTER TABLE delivery ADD COLUMN steps TEXT;
