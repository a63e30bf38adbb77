import { type Cluster, everythingChanged, type ProcessRole } from '#cluster/cluster.ts'
import { openLateCluster } from '#cluster/lateCluster.ts'
import { waitForAcknowledgement } from '#cluster/postgres/changeFeed.ts'
import { openPostgresCluster } from '#cluster/postgres/postgresCluster.ts'
import { registerSpread } from '#cluster/postgres/spread.ts'
import { noSpread } from '#cluster/slotOf.ts'
import { type EnvironmentName, environments } from '#contract/me.ts'
import { noMeter, withLabels } from '#kit/meter.ts'
import type { CheckResult } from '#kit/runCheck.ts'
import { checkWritable, TooFewStandbys } from '#postgres/checkDatabase.ts'
import type { Database } from '#postgres/database.ts'
import { databaseName, mayPass } from '#postgres/databaseWait.ts'
import { inspectServer } from '#postgres/inspectServer.ts'
import { inspectShards } from '#postgres/shards/inspectShards.ts'
import { openShardedDatabase, type SchemaAdapters } from '#postgres/shards/openShardedDatabase.ts'
import { refuseMissingShards } from '#postgres/shards/shardList.ts'
import { openSharedSchema } from '#postgres/sharedSchema.ts'
import type { EnvironmentDatabase, SharedDatabaseOptions } from '#runtime/storage.ts'
import { measureStore } from '#store/postgres/measureStore.ts'
import { openPostgresStore } from '#store/postgres/postgresStore.ts'
import { queryConnections } from '#store/postgres/queries.ts'
import { moveFiles } from '#stream/postgres/moveFiles.ts'
import { openPostgresStream } from '#stream/postgres/postgresStream.ts'
import { readTodoStats } from '#stream/postgres/todoStats.ts'

const schemaOf = (environment: EnvironmentName) => `aglet_${environment}`

/** The connections of one process to the schema of one environment, opened on demand. */
const connectionsOf: Readonly<Record<ProcessRole, number>> = { edge: 3, worker: 4, control: 4, all: 8 }
const queryTimeoutMs = 615_000

/** The result of the first try. If it failed, the next try throws the error. */
const tryFirst = (prepare: () => Promise<void>, startsWithout: NonNullable<SharedDatabaseOptions['startsWithout']>) =>
  prepare().then(
    () => 'ready' as const,
    async (error) => (mayPass(error) && (await startsWithout()) ? 'away' : 'not ready'),
  )

/** Everything that is opened on the schema of an environment, in one database or several. */
function schemaAdapters(options: SharedDatabaseOptions): SchemaAdapters {
  const { environment, role, syncStandbys, clock, start, startsWithout, tagSpread = noSpread } = options
  const environmentMeter = withLabels(options.meter ?? noMeter, { environment })
  const connect: SchemaAdapters['connect'] = (url, meter = environmentMeter) =>
    openSharedSchema({
      ...{ url, schema: schemaOf(environment), meter, readTodo: readTodoStats, syncStandbys, clock },
      connections: connectionsOf[role],
      queries: { connections: queryConnections, timeoutMs: queryTimeoutMs },
      migrated: (database) => registerSpread(database, tagSpread),
    })
  const joined = new WeakMap<Database, Cluster>()
  return {
    meter: environmentMeter,
    connect,
    async open(url, check) {
      const schema = connect(url)
      const prepare = () => schema.prepare(check)
      try {
        const first = startsWithout ? await tryFirst(prepare, startsWithout) : 'not ready'
        if (first === 'not ready') await (start ? start.wait.until(databaseName(environment), prepare) : prepare())
        return { ...schema, isAway: first === 'away' }
      } catch (problem) {
        await schema.close()
        throw problem
      }
    },
    async openStore({ database, queryDatabase, meter }, limits, ownership) {
      const acknowledged = async (seq: number) =>
        joined.get(database)?.changes.acknowledged(seq) ?? waitForAcknowledgement(database, seq)
      const parts = { database, queryDatabase, limits, acknowledged, ...(ownership && { ownership }) }
      return measureStore(await openPostgresStore(parts), meter)
    },
    openStream: ({ database, time, meter }, ownership, shard = 0) =>
      openPostgresStream({
        ...{ database, clock: time.clock, meter, shard, spread: tagSpread },
        ...(ownership && { ownership }),
      }),
    async join({ database, time, meter }, member) {
      const cluster = await openPostgresCluster({ database, clock: time.clock, meter, ...member })
      joined.set(database, cluster)
      return cluster
    },
    async check({ database, time }) {
      time.check()
      await checkWritable(database, syncStandbys)
    },
  }
}

/** The single database of an environment. */
async function openOneDatabase({ url }: SharedDatabaseOptions, on: SchemaAdapters): Promise<EnvironmentDatabase> {
  const schema = await on.open(url, refuseMissingShards)
  const { database, time, close } = schema
  let { isAway } = schema
  const join = async (member: Parameters<EnvironmentDatabase['joinCluster']>[0]) => {
    if (isAway) await schema.prepare(refuseMissingShards)
    isAway = false
    return on.join(schema, member)
  }
  return {
    clock: time.clock,
    openStore: (limits, ownership) => on.openStore(schema, limits, ownership),
    openStream: (ownership) => on.openStream(schema, ownership),
    joinCluster: async (member) =>
      isAway
        ? openLateCluster({ join: () => join(member), mayPass: mayBeMended, log: member.log, first: everythingChanged })
        : join(member),
    isAway: () => isAway,
    check: () => on.check(schema),
    moveFiles: (files, source) => moveFiles(database, files, source),
    close,
  }
}

/** A new primary reports its standbys a few seconds late. */
const mayBeMended = (error: unknown) => mayPass(error) || error instanceof TooFewStandbys

/** Opens the database of an environment, and its event shards. */
export const openPostgresAdapters = (options: SharedDatabaseOptions): Promise<EnvironmentDatabase> =>
  options.shardUrls
    ? openShardedDatabase(options, options.shardUrls, schemaAdapters(options))
    : openOneDatabase(options, schemaAdapters(options))

/** Checks the databases of the settings and the processes that share them. Changes nothing. */
export async function inspectPostgres(
  options: Pick<SharedDatabaseOptions, 'url' | 'shardUrls' | 'syncStandbys' | 'clock'>,
): Promise<CheckResult[]> {
  const { shardUrls = [] } = options
  const schemas = Object.fromEntries(environments.map((each) => [each, schemaOf(each)]))
  return [
    ...(await inspectServer({ ...options, schemas, readTodo: readTodoStats })),
    ...(await inspectShards({ ...options, schemas, shardUrls })),
  ]
}
