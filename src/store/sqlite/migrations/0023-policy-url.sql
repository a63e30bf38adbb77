-- Where the text of a policy stands. Null where the operator named no address.
ALTER TABLE policy ADD COLUMN url TEXT;
