import { type ChangeTable, lookUp } from '#store/sql/changeTable.ts'
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

/** Places a change. A change that is not in the table belongs to the control part. */
type Route = (places: Places) => Promise<PlacedChange[]>

const to =
  (change: StoreChange, find: (places: Places) => Promise<readonly number[]>): Route =>
  async (places) =>
    (await find(places)).map((place) => [place, change])
const byTag = (change: Extract<StoreChange, { tagId: string }>) =>
  to(change, async ({ ofTag }) => [await ofTag(change.tagId)])
/** The tag is not known here; a shard without the rows does nothing. */
const everywhere = (change: StoreChange) => to(change, async ({ all }) => all)
const byRows =
  (change: Extract<StoreChange, { add: 'refusedCalls' | 'runs' }>): Route =>
  async (places) =>
    Array.from(await byShard({ rows: change.rows }, places), ([place, own]) => {
      return [place, { ...change, ...own } as StoreChange]
    })

/** The shard of a script; every shard if the script is unknown. */
async function ofScript(scriptId: string, { all, ofScript: find }: Places): Promise<readonly number[]> {
  const shard = await find(scriptId)
  return shard === undefined ? all : [shard]
}

const routes: Partial<ChangeTable<StoreChange, Route>> = {
  'add intake': (change) => async (places) =>
    Array.from(await byShard({ ...change.batch }, places), ([place, batch]) => [place, { ...change, batch }]),
  'add refusedCalls': byRows,
  'add runs': byRows,
  'erase events': (change) => async (places) =>
    Array.from(await byShard({ events: change.events }, places), ([place, own]) => [place, { ...change, ...own }]),
  'add replay': (change) => to(change, async ({ ofTag }) => [await ofTag(change.row.tagId)]),
  'add orderPayloads': byTag,
  'put orders': byTag,
  'settle orders': byTag,
  'erase user': byTag,
  'erase runs': byTag,
  'erase orderPayloads': byTag,
  'drop user': byTag,
  'drop orders': byTag,
  'erase joins': everywhere,
  'stop replay': everywhere,
  'drop runs': everywhere,
  'drop tag': (change) => to(change, async ({ ofTag }) => [controlPlace, await ofTag(change.tagId)]),
  'drop script': (change) => to(change, async (places) => [controlPlace, ...(await ofScript(change.scriptId, places))]),
  'drop pause': (change) => to(change, (places) => ofScript(change.scriptId, places)),
}

/** The changes of each database, in order. `home`: the shard that is also the control database, if there is one. */
export async function splitChanges(
  changes: readonly StoreChange[],
  places: Places,
  home: number | undefined,
): Promise<Map<number, StoreChange[]>> {
  const split = new Map<number, StoreChange[]>()
  for (const each of changes) {
    const placed = (await lookUp(routes, each)?.(places)) ?? [[controlPlace, each] as const]
    const own = new Map(placed.map(([place, change]) => [place === home ? controlPlace : place, change]))
    for (const [place, change] of own) split.set(place, [...(split.get(place) ?? []), change])
  }
  return split
}
