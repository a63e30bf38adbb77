#!/bin/sh
# Starts the standby of compose.many.yaml. The first start copies the primary.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  source="host=$PRIMARY_HOST port=${PRIMARY_PORT:-5432} user=replicator application_name=standby"
  export PGPASSWORD="$POSTGRES_PASSWORD"
  # Into a folder beside it, so that an interrupted copy is begun anew.
  rm -rf "$PGDATA/copy"
  until pg_basebackup --pgdata="$PGDATA/copy" --dbname="$source" --wal-method=stream --slot=standby --write-recovery-conf; do
    echo 'The primary does not answer yet.' >&2
    rm -rf "$PGDATA/copy"
    sleep 2
  done
  # PG_VERSION last, because it says that the copy is whole.
  for each in "$PGDATA"/copy/*; do
    [ "${each##*/}" = PG_VERSION ] || mv "$each" "$PGDATA/"
  done
  mv "$PGDATA/copy/PG_VERSION" "$PGDATA/"
  rmdir "$PGDATA/copy"
  chmod 0700 "$PGDATA"
fi
exec postgres "$@"
