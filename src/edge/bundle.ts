import { type RawPart, sealRecord } from '#event/record.ts'
import { type Gathering, gather, type Waiting } from '#kit/gather.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { Entry } from '#stream/stream.ts'
import type { EdgeWorld } from './world.ts'

/** What one request brought, and the keys of each of its events. */
export type Unit = { part: RawPart } & Pick<Entry, 'keys' | 'others'>

/** Keeps what a request brought, durably, and says of each event whether it is fresh. Rejects when it cannot be kept. */
export type Bundle = (tag: Snapshot, unit: Unit) => Promise<readonly boolean[]>

type Group = readonly Waiting<Unit, readonly boolean[]>[]

/** What a record may hold. What is larger by itself makes a record of its own. */
const most = { events: 500, bytes: 64 * 1024 }

/** Splits what waits into records, in the order it came. */
function recordsOf(group: Group): Group[] {
  const records: Waiting<Unit, readonly boolean[]>[][] = []
  let events = 0
  let bytes = 0
  for (const each of group) {
    events += each.unit.keys.length
    bytes += each.unit.part.body.length
    const record = records.at(-1)
    if (record && events <= most.events && bytes <= most.bytes) {
      record.push(each)
      continue
    }
    records.push([each])
    events = each.unit.keys.length
    bytes = each.unit.part.body.length
  }
  return records
}

/** The keys of all events of a record. */
function keysOf(record: Group): Pick<Entry, 'keys' | 'others'> {
  const keys = record.flatMap(({ unit }) => unit.keys)
  if (!record.some(({ unit }) => unit.others)) return { keys }
  return { keys, others: record.flatMap(({ unit }) => unit.others ?? unit.keys.map(() => 0n)) }
}

/** After so many at once the next are awaited a little: a crowd that goes to the disk together costs each of it less. */
const crowd = { units: 8, waitMs: 3 }

/** What comes to a tag while the disk is busy is kept as one record, or as few; they go to the disk together. */
export function bundler({ stream, keys, clock }: Pick<EdgeWorld, 'stream' | 'keys' | 'clock'>): Bundle {
  const tags = new WeakMap<Snapshot, Gathering<Unit, readonly boolean[]>>()

  async function keep({ tagId, teamId }: Snapshot, record: Group): Promise<void> {
    const parts = record.map(({ unit }) => unit.part)
    const payload = sealRecord(parts, { tagId, teamId }, keys)
    const fresh = await stream.append({ tagId, payload, ...keysOf(record) })
    let first = 0
    for (const { unit, resolve } of record) {
      resolve(fresh.slice(first, first + unit.keys.length))
      first += unit.keys.length
    }
  }
  const open = (tag: Snapshot) =>
    gather<Unit, readonly boolean[]>(
      async (group) => {
        const keepOrRefuse = (record: Group) =>
          keep(tag, record).catch((problem) => {
            for (const { reject } of record) reject(problem)
          })
        await Promise.all(recordsOf(group).map(keepOrRefuse))
        if (group.length >= crowd.units) await clock.wait(crowd.waitMs)
      },
      { limit: Number.POSITIVE_INFINITY, weigh: () => 0 },
    )
  return (tag, unit) => {
    const bundling = tags.get(tag) ?? open(tag)
    tags.set(tag, bundling)
    return bundling.add(unit)
  }
}
