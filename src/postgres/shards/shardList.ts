import type { Database, Sql } from '../database.ts'

/** The number of shards that a position can name. */
export const maxShards = 64
/** The exchange packs of a shard are numbered from a multiple of this: the shard's number times it. */
export const packsPerShard = 2 ** 40

type Identity = { id: string; shard: number | null; control: string | null }

async function readIdentity(sql: Sql): Promise<Identity> {
  const [row] = await sql<Identity>('SELECT id, shard, control FROM identity FOR UPDATE')
  return row!
}

/** Sets the first number of the exchange packs of a shard, except the first shard. */
const startPacks = (shard: number) => `ALTER TABLE bodies ALTER COLUMN no RESTART WITH ${shard * packsPerShard + 1}`

/** Throws unless a database may be the shard with this number of a control database. A new database becomes that shard. */
async function claim(database: Database, number: number, control: string): Promise<string> {
  return database.transaction(async (sql) => {
    const own = await readIdentity(sql)
    if (own.shard === number && own.control === control) return own.id
    if (own.shard !== null)
      throw new Error(
        `The database number ${number + 1} of AGLET_STREAM_URL is the event shard ${own.shard} of ${own.control === control ? 'this installation' : 'another installation'}. You can only append to the list.`,
      )
    const [tag] = await sql('SELECT 1 FROM tag LIMIT 1')
    if (tag && own.id !== control)
      throw new Error(`The database number ${number + 1} of AGLET_STREAM_URL already has tags. Use an empty database.`)
    await sql('UPDATE identity SET shard = $1, control = $2', [number, control])
    if (number > 0) await sql(startPacks(number))
    return own.id
  })
}

const selectShards = 'SELECT number, id FROM shard ORDER BY number'

/**
 * Checks that the databases are the event shards of the control database, in order, and adds new ones. Resolves to the
 * number of the shard that is also the control database; undefined if there is none. A database that is away is passed
 * as undefined: it must be known already, and is checked when it answers. Throws an Error with one sentence for the
 * operator.
 */
export async function registerShards(
  control: Database,
  shards: readonly (Database | undefined)[],
): Promise<number | undefined> {
  const { id: controlId, control: owner } = await readIdentity(control.sql)
  if (owner !== null && owner !== controlId)
    throw new Error('AGLET_DATABASE_URL is an event shard of another database. Use that database.')
  const known = await control.sql<{ number: number; id: string }>(selectShards)
  if (shards.length > maxShards)
    throw new Error(`AGLET_STREAM_URL names ${shards.length} databases; the limit is ${maxShards}.`)
  if (known.length > shards.length)
    throw new Error(
      `AGLET_STREAM_URL names ${shards.length} databases, and ${known.length} were in use. Add the missing ones at their previous positions.`,
    )
  const ids: string[] = []
  for (const [number, database] of shards.entries())
    ids.push(database ? (await readIdentity(database.sql)).id : known[number]!.id)
  const repeated = ids.findIndex((id, number) => ids.indexOf(id) < number)
  if (repeated >= 0) throw new Error(`The database number ${repeated + 1} of AGLET_STREAM_URL is listed twice.`)
  for (const { number, id } of known)
    if (ids[number] !== id)
      throw new Error(
        `The database number ${number + 1} of AGLET_STREAM_URL has changed. You can only append to the list.`,
      )
  const [tag] = await control.sql('SELECT 1 FROM tag LIMIT 1')
  if (known.length === 0 && tag && ids[0] !== controlId)
    throw new Error(
      'AGLET_STREAM_URL must start with the database of AGLET_DATABASE_URL, because that database already has events.',
    )
  for (const [number, database] of shards.entries()) if (database) await claim(database, number, controlId)
  await control.sql(
    'INSERT INTO shard (number, id) SELECT * FROM unnest($1::int[], $2::text[]) ON CONFLICT DO NOTHING',
    [ids.map((_, number) => number), ids],
  )
  const home = ids.indexOf(controlId)
  return home < 0 ? undefined : home
}

/** The id of a control database, and the ids of its shards, in the order of their numbers. */
export type ShardList = { control: string; ids: readonly string[] }

export async function readShardList(control: Pick<Database, 'sql'>): Promise<ShardList> {
  const [own] = await control.sql<Identity>('SELECT id, shard, control FROM identity')
  const rows = await control.sql<{ number: number; id: string }>(selectShards)
  return { control: own!.id, ids: rows.map(({ id }) => id) }
}

/**
 * Whether a database is new or is the shard with this number. Throws an Error with one sentence for the operator if it
 * is another shard. Changes nothing.
 */
export async function shardPlaceOf(
  { sql }: Pick<Database, 'sql'>,
  number: number,
  { control, ids }: ShardList,
): Promise<'known' | 'new'> {
  const [own] = await sql<Identity>('SELECT id, shard, control FROM identity')
  const { id, shard, control: owner } = own!
  if (shard !== null && owner !== control)
    throw new Error(`it is the event shard ${shard} of another installation: use the database of this installation`)
  if (shard !== null && shard !== number)
    throw new Error(`it is the event shard ${shard}, not ${number}: you can only append to the list`)
  if (ids[number] !== undefined && ids[number] !== id)
    throw new Error(`this is a different database than before: use event shard ${number} here`)
  return ids[number] === id ? 'known' : 'new'
}

/** Throws if a database that should hold everything is an event shard of another database, or has event shards itself. */
export async function refuseMissingShards(control: Database): Promise<void> {
  const { id, control: other } = await readIdentity(control.sql)
  if (other !== null && other !== id)
    throw new Error('AGLET_DATABASE_URL is an event shard of another database. Use that database.')
  const others = await control.sql('SELECT 1 FROM shard WHERE id <> $1', [id])
  if (others.length > 0)
    throw new Error('The database has event shards, but AGLET_STREAM_URL is not set. List all of them.')
}
