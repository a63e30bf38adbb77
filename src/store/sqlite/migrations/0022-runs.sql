-- The runs of webhook code for calls from outside. `no` grows. `sealed` holds logs and error under the key of the team.
CREATE TABLE webhook_run (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  tag TEXT NOT NULL,
  script TEXT NOT NULL,
  at INTEGER NOT NULL,
  sealed BLOB NOT NULL
) STRICT;
CREATE INDEX webhook_run_of_script ON webhook_run (script, no);
CREATE INDEX webhook_run_by_time ON webhook_run (at);

-- The run that an event came of, by the key of its id (hexadecimal).
CREATE TABLE webhook_run_event (
  tag TEXT NOT NULL,
  key TEXT NOT NULL,
  run TEXT NOT NULL,
  script TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (tag, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_run_event_by_time ON webhook_run_event (at);
CREATE INDEX webhook_run_event_of_script ON webhook_run_event (script);
