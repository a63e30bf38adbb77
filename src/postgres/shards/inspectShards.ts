import { type CheckResult, runCheck } from '#kit/runCheck.ts'
import { checkDatabase } from '../checkDatabase.ts'
import { type Database, openDatabase } from '../database.ts'
import {
  checkClock,
  checkGrant,
  checkReachable,
  checkSchema,
  checkStandbys,
  type InspectServerOptions,
  isCreated,
} from '../inspectServer.ts'
import { readShardList, type ShardList, shardPlaceOf } from './shardList.ts'

type InspectShardsOptions = Omit<InspectServerOptions, 'readTodo'> & {
  /** In the order of their numbers. */
  shardUrls: readonly string[]
}

/** The shards that the control database knows, by environment. Empty if it is away or its schema does not exist yet. */
async function readLists({ url, schemas }: InspectShardsOptions): Promise<Map<string, ShardList>> {
  const lists = new Map<string, ShardList>()
  for (const [environment, schema] of Object.entries(schemas)) {
    const control = openDatabase({ url, schema, connections: 1 })
    try {
      if (await isCreated(control)) lists.set(environment, await readShardList(control))
    } catch {
      // The finding of the control database reports this error.
    } finally {
      await control.close()
    }
  }
  return lists
}

/** Checks the migrations of one schema of a shard. Its place in the list must not change. */
async function checkPlace(database: Database, number: number, list: ShardList | undefined): Promise<string> {
  const found = await checkSchema(database)
  if (!list || !(await isCreated(database))) return found
  const place = await shardPlaceOf(database, number, list)
  return place === 'new' ? `${found}; the next start adds it` : found
}

async function checkShard(
  url: string,
  number: number,
  { schemas, syncStandbys, clock }: InspectShardsOptions,
  lists: ReadonlyMap<string, ShardList>,
): Promise<string> {
  const open = (schema: string) => openDatabase({ url, schema, connections: 1 })
  const database = open(Object.values(schemas)[0]!)
  try {
    const parts = [await checkReachable(database, `database number ${number + 1} of AGLET_STREAM_URL`)]
    await checkDatabase(database, syncStandbys)
    await checkClock(database, clock)
    if (syncStandbys > 0) {
      await checkGrant(database)
      parts.push(await checkStandbys(database, syncStandbys))
    }
    for (const [environment, schema] of Object.entries(schemas)) {
      const own = open(schema)
      parts.push(`${environment}: ${await checkPlace(own, number, lists.get(environment)).finally(own.close)}`)
    }
    return parts.join('; ')
  } finally {
    await database.close()
  }
}

/** Checks each event shard. Each finding names the first problem of its shard. Changes nothing. */
export async function inspectShards(options: InspectShardsOptions): Promise<CheckResult[]> {
  const { shardUrls } = options
  const lists = await readLists(options)
  const findings: CheckResult[] = []
  for (const [number, url] of shardUrls.entries())
    findings.push(await runCheck(`shard ${number}`, () => checkShard(url, number, options, lists)))
  const known = Math.max(0, ...[...lists.values()].map(({ ids }) => ids.length))
  for (let number = shardUrls.length; number < known; number++)
    findings.push({
      name: `shard ${number}`,
      ok: false,
      message: 'AGLET_STREAM_URL does not list it: add its URL at this position, because no process starts without it',
    })
  return findings
}
