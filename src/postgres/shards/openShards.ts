import { type DatabaseStart, mayPass } from '../databaseWait.ts'
import type { SharedSchema } from '../sharedSchema.ts'
import { readShardList, registerShards, type ShardList } from './shardList.ts'

type OpenShardsDeps = {
  environment: string
  /** If absent, a database that is away is an error. */
  start?: DatabaseStart
  openControl(): Promise<SharedSchema>
  /** Opens no connection yet. */
  connect(url: string, shard: number): SharedSchema
}

export type OpenShards = {
  control: SharedSchema
  shards: readonly SharedSchema[]
  home?: number
  /** The shards that were away at the start. */
  away: ReadonlySet<number>
  close(): Promise<void>
}

/**
 * Returns the shards that do not answer while a server starts. They were in use before; the server waits for a new
 * shard.
 */
async function prepareShards(
  listed: readonly SharedSchema[],
  { ids }: ShardList,
  { environment, start }: OpenShardsDeps,
): Promise<Set<number>> {
  const away = new Set<number>()
  const prepare = async ({ prepare }: SharedSchema, number: number) => {
    try {
      await prepare()
    } catch (error) {
      if (!start || !mayPass(error)) throw error
      if (ids[number] === undefined) return start.wait.until(`${environment}.shard ${number}`, prepare)
      away.add(number)
      const message = 'an event shard does not respond; its tags get 503 until it does'
      start.log({ level: 'warn', message, environment, shard: number, reason: `${error}` })
    }
  }
  await Promise.all(listed.map(prepare))
  return away
}

/** Opens the control database and the event shards. A shard that is also the control database shares its connections. */
export async function openShards(shardUrls: readonly string[], deps: OpenShardsDeps): Promise<OpenShards> {
  const { connect, openControl } = deps
  await using opened = new AsyncDisposableStack()
  const control = await openControl()
  opened.defer(control.close)
  const listed = shardUrls.map(connect)
  for (const each of listed) opened.defer(each.close)
  const away = await prepareShards(listed, await readShardList(control.database), deps)
  const reached = listed.map(({ database }, number) => (away.has(number) ? undefined : database))
  const home = await registerShards(control.database, reached)
  if (home !== undefined) away.delete(home)
  const shards = listed.map((each, number) => (number === home ? control : each))
  const resources = opened.move()
  return { control, shards, away, ...(home !== undefined && { home }), close: () => resources.disposeAsync() }
}
