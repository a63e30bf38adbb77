import type { StoreChange } from '#store/store.ts'

/** The databases that have the rows of a change. */
type Places = {
  /** The numbers of all shards. */
  all: readonly number[]
  ofTag(tagId: string): Promise<number>
  ofScript(scriptId: string): Promise<number | undefined>
}

/** The place of changes of the control part. */
export const controlPlace = -1

type PlacedChange = readonly [place: number, change: StoreChange]

/** Frequent changes that belong to no call. They are counts and traces, so those of one shard may wait. */
export const isBulk = (change: StoreChange): boolean =>
  ('add' in change && ['intake', 'refusedCalls', 'runs'].includes(change.add)) ||
  ('drop' in change && change.drop === 'runs')

/** Splits lists of rows by the shards of their tags. */
async function byShard<Lists extends Readonly<Record<string, readonly { tagId: string }[]>>>(
  lists: Lists,
  { ofTag }: Places,
): Promise<Map<number, Lists>> {
  const split = new Map<number, Record<string, { tagId: string }[]>>()
  for (const [name, rows] of Object.entries(lists))
    for (const row of rows) {
      const shard = await ofTag(row.tagId)
      const own = split.get(shard) ?? Object.fromEntries(Object.keys(lists).map((each) => [each, []]))
      split.set(shard, own)
      own[name]!.push(row)
    }
  return split as unknown as Map<number, Lists>
}

async function splitAdd(change: Extract<StoreChange, { add: string }>, places: Places): Promise<PlacedChange[]> {
  switch (change.add) {
    case 'intake':
      return Array.from(await byShard({ ...change.batch }, places), ([place, batch]) => [place, { ...change, batch }])
    case 'refusedCalls':
      return Array.from(await byShard({ rows: change.rows }, places), ([place, own]) => [place, { ...change, ...own }])
    case 'runs':
      return Array.from(await byShard({ rows: change.rows }, places), ([place, own]) => [place, { ...change, ...own }])
    case 'replay':
      return [[await places.ofTag(change.row.tagId), change]]
    case 'orderPayloads':
      return [[await places.ofTag(change.tagId), change]]
    default:
      return [[controlPlace, change]]
  }
}

/** The shard of a script; every shard if the script is unknown. */
async function ofScript(scriptId: string, { all, ofScript: find }: Places): Promise<readonly number[]> {
  const shard = await find(scriptId)
  return shard === undefined ? all : [shard]
}

/**
 * The places of a change that is not split. The tag of a replay is not known here; a shard without the replay does
 * nothing.
 */
async function placesOf(change: StoreChange, places: Places): Promise<readonly number[]> {
  if ('stop' in change) return places.all
  if ('settle' in change || ('put' in change && change.put === 'orders')) return [await places.ofTag(change.tagId)]
  if ('erase' in change && change.erase !== 'events')
    return change.erase === 'joins' ? places.all : [await places.ofTag(change.tagId)]
  if (!('drop' in change)) return [controlPlace]
  switch (change.drop) {
    case 'tag':
      return [controlPlace, await places.ofTag(change.tagId)]
    case 'user':
    case 'orders':
      return [await places.ofTag(change.tagId)]
    case 'script':
      return [controlPlace, ...(await ofScript(change.scriptId, places))]
    case 'pause':
      return ofScript(change.scriptId, places)
    case 'runs':
      return places.all
    default:
      return [controlPlace]
  }
}

async function splitOne(change: StoreChange, places: Places): Promise<PlacedChange[]> {
  if ('add' in change) return splitAdd(change, places)
  if ('erase' in change && change.erase === 'events')
    return Array.from(await byShard({ events: change.events }, places), ([place, own]) => [
      place,
      { ...change, ...own },
    ])
  return (await placesOf(change, places)).map((place) => [place, change])
}

/** The changes of each database, in order. `home`: the shard that is also the control database, if there is one. */
export async function splitChanges(
  changes: readonly StoreChange[],
  places: Places,
  home: number | undefined,
): Promise<Map<number, StoreChange[]>> {
  const split = new Map<number, StoreChange[]>()
  for (const each of changes) {
    const placed = await splitOne(each, places)
    const own = new Map(placed.map(([place, change]) => [place === home ? controlPlace : place, change]))
    for (const [place, change] of own) split.set(place, [...(split.get(place) ?? []), change])
  }
  return split
}
