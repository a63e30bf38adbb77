-- By whose authority an invitation was made: it opens nothing once they could not make it any more.
ALTER TABLE invitation ADD COLUMN person TEXT;
ALTER TABLE invitation ADD COLUMN application TEXT;
UPDATE invitation SET person = by WHERE by GLOB 'per_*';
