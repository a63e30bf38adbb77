#!/bin/sh
# Prepares the primary of compose.many.yaml. The image of PostgreSQL runs it once, when its volume is empty.
# The last line holds from the next start on: from then each commit waits for the standby.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$POSTGRES_PASSWORD" --username postgres <<'SQL'
CREATE ROLE aglet LOGIN PASSWORD :'password';
GRANT pg_monitor TO aglet;
CREATE DATABASE aglet OWNER aglet;
CREATE ROLE replicator LOGIN REPLICATION PASSWORD :'password';
SELECT pg_create_physical_replication_slot('standby');
ALTER SYSTEM SET synchronous_standby_names = 'standby';
SQL
echo 'host replication replicator all scram-sha-256' >> "$PGDATA/pg_hba.conf"
