import type { IntakeBatch } from '#store/intake.ts'
import type { StoreChange } from '#store/store.ts'

/** Where the rows of a change lie. */
type Places = {
  /** The numbers of all shards. */
  all: readonly number[]
  ofTag(tagId: string): Promise<number>
  ofScript(scriptId: string): Promise<number | undefined>
}

/** The database of the control part, as the place of a change. */
export const controlPlace = -1

type PlacedChange = { place: number; change: StoreChange }

/** Changes that are made often and belong to no call: they are counts and traces, and one of a shard may wait. */
export const isBulk = (change: StoreChange): boolean =>
  ('add' in change && ['intake', 'refusedCalls', 'runs'].includes(change.add)) ||
  ('drop' in change && change.drop === 'runs')

/** The rows of each shard. */
async function byShard<Row extends { tagId: string }>(
  rows: readonly Row[],
  { ofTag }: Places,
): Promise<Map<number, Row[]>> {
  const groups = new Map<number, Row[]>()
  for (const row of rows) {
    const shard = await ofTag(row.tagId)
    const own = groups.get(shard)
    if (own) own.push(row)
    else groups.set(shard, [row])
  }
  return groups
}

async function splitIntake(batch: IntakeBatch, places: Places): Promise<PlacedChange[]> {
  const { counts, latencies, refusals, seen, repeats, matches } = batch
  const parts = {
    counts: await byShard(counts, places),
    latencies: await byShard(latencies, places),
    refusals: await byShard(refusals, places),
    seen: await byShard(seen, places),
    repeats: await byShard(repeats, places),
    matches: await byShard(matches, places),
  }
  const numbers = new Set(Object.values(parts).flatMap((part) => [...part.keys()]))
  return [...numbers].map((place) => {
    const of = <Row>(part: ReadonlyMap<number, Row[]>) => part.get(place) ?? []
    const own = {
      counts: of(parts.counts),
      latencies: of(parts.latencies),
      refusals: of(parts.refusals),
      seen: of(parts.seen),
      repeats: of(parts.repeats),
      matches: of(parts.matches),
    }
    return { place, change: { add: 'intake', batch: own } }
  })
}

const at = (place: number, change: StoreChange): PlacedChange[] => [{ place, change }]
const atEach = (places: Iterable<number>, change: StoreChange): PlacedChange[] =>
  [...places].map((place) => ({ place, change }))

async function splitAdd(change: Extract<StoreChange, { add: string }>, places: Places): Promise<PlacedChange[]> {
  switch (change.add) {
    case 'intake':
      return splitIntake(change.batch, places)
    case 'refusedCalls':
      return [...(await byShard(change.rows, places))].map(([place, rows]) => ({
        place,
        change: { add: 'refusedCalls', rows },
      }))
    case 'runs':
      return [...(await byShard(change.rows, places))].map(([place, rows]) => ({
        place,
        change: { add: 'runs', rows },
      }))
    case 'replay':
      return at(await places.ofTag(change.row.tagId), change)
    case 'orderPayloads':
      return at(await places.ofTag(change.tagId), change)
    default:
      return at(controlPlace, change)
  }
}

/** The shard of a script; every shard for one of which nothing is known. */
async function ofScript(scriptId: string, { all, ofScript: find }: Places): Promise<readonly number[]> {
  const shard = await find(scriptId)
  return shard === undefined ? all : [shard]
}

async function splitDrop(change: Extract<StoreChange, { drop: string }>, places: Places): Promise<PlacedChange[]> {
  switch (change.drop) {
    case 'tag':
      return atEach([controlPlace, await places.ofTag(change.tagId)], change)
    case 'user':
      return at(await places.ofTag(change.tagId), change)
    case 'script':
      return atEach([controlPlace, ...(await ofScript(change.scriptId, places))], change)
    case 'pause':
      return atEach(await ofScript(change.scriptId, places), change)
    case 'runs':
      return atEach(places.all, change)
    case 'orders':
      return at(await places.ofTag(change.tagId), change)
    default:
      return at(controlPlace, change)
  }
}

async function splitErase(change: Extract<StoreChange, { erase: string }>, places: Places): Promise<PlacedChange[]> {
  switch (change.erase) {
    case 'user':
    case 'runs':
    case 'orderPayloads':
      return at(await places.ofTag(change.tagId), change)
    case 'events':
      return [...(await byShard(change.events, places))].map(([place, events]) => ({
        place,
        change: { erase: 'events', events },
      }))
    case 'joins':
      return atEach(places.all, change)
  }
}

async function splitOne(change: StoreChange, places: Places): Promise<PlacedChange[]> {
  if ('add' in change) return splitAdd(change, places)
  if ('drop' in change) return splitDrop(change, places)
  if ('erase' in change) return splitErase(change, places)
  // The tag of a replay is not known here. A shard without it does nothing.
  if ('stop' in change) return atEach(places.all, change)
  if ('settle' in change || ('put' in change && change.put === 'orders'))
    return at(await places.ofTag(change.tagId), change)
  return at(controlPlace, change)
}

/** The changes of each database, in their order. `home`: the shard that is the control database, if there is one. */
export async function splitChanges(
  changes: readonly StoreChange[],
  places: Places,
  home: number | undefined,
): Promise<Map<number, StoreChange[]>> {
  const split = new Map<number, StoreChange[]>()
  for (const each of changes) {
    const placed = await splitOne(each, places)
    const own = new Map(placed.map(({ place, change }) => [place === home ? controlPlace : place, change]))
    for (const [place, change] of own) split.set(place, [...(split.get(place) ?? []), change])
  }
  return split
}
