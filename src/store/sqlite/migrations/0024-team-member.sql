-- On PostgreSQL the table `member` lists processes.
ALTER TABLE member RENAME TO team_member;
DROP INDEX member_person;
CREATE INDEX team_member_person ON team_member (person);
