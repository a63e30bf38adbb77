import type { ProcessRole } from '#cluster/cluster.ts'
import { waitForAcknowledgement } from '#cluster/postgres/changeFeed.ts'
import { openPostgresCluster } from '#cluster/postgres/postgresCluster.ts'
import { checkDatabase, streamingStandbys } from '#postgres/checkDatabase.ts'
import { type Database, openDatabase } from '#postgres/database.ts'
import { migrate } from '#postgres/migrate.ts'
import type { EnvironmentDatabase, SharedDatabaseOptions } from '#runtime/storage.ts'
import { openPostgresStore } from '#store/postgres/postgresStore.ts'
import { queryConnections } from '#store/postgres/queries.ts'
import { openPostgresStream } from '#stream/postgres/postgresStream.ts'

/** The connections of one process to the schema of one environment. They are opened when they are needed. */
const connectionsOf: Readonly<Record<ProcessRole, number>> = { edge: 3, worker: 4, control: 4, all: 8 }
const queryTimeoutMs = 615_000

/** Rejects with the reason if the database accepts no writes, or would confirm them on too few standbys. */
async function checkWritable(database: Database, syncStandbys: number): Promise<void> {
  const standbys = await streamingStandbys(database)
  if (standbys < syncStandbys)
    throw new Error(`the database has ${standbys} standbys that confirm commits, fewer than ${syncStandbys}`)
}

/** Checks the server, migrates the schema of the environment, and opens it. */
export async function openPostgresAdapters({
  url,
  environment,
  role,
  syncStandbys,
}: SharedDatabaseOptions): Promise<EnvironmentDatabase> {
  const schema = `aglet_${environment}`
  const database = openDatabase({ url, schema, connections: connectionsOf[role] })
  const queryDatabase = openDatabase({ url, schema, connections: queryConnections, timeoutMs: queryTimeoutMs })
  const close = async () => {
    await Promise.all([database.close(), queryDatabase.close()])
  }
  try {
    await checkDatabase(database, syncStandbys)
    await migrate(database)
  } catch (problem) {
    await close()
    throw problem
  }
  const acknowledged = (seq: number) => waitForAcknowledgement(database, seq)
  return {
    openStore: (limits, ownership) =>
      openPostgresStore({ database, queryDatabase, limits, acknowledged, ...(ownership && { ownership }) }),
    openStream: (clock, ownership) => openPostgresStream({ database, clock, ...(ownership && { ownership }) }),
    joinCluster: (member) => openPostgresCluster({ database, ...member }),
    check: () => checkWritable(database, syncStandbys),
    close,
  }
}
