import { type AppendItem, sealEntry } from '#event/ingest.ts'
import type { RecentRecords } from '#event/recentRecords.ts'
import { appendBySlot } from '#event/splitBySlot.ts'
import { type Batcher, createBatcher, type PendingItem } from '#kit/batcher.ts'
import { localBoundsSeconds } from '#kit/meter.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { StreamEntry } from '#stream/stream.ts'
import type { EdgeDeps } from './edgeDeps.ts'

/** Appends the events of a request, durably. Resolves to one boolean per event: false for a duplicate. */
export type AppendBatcher = (tag: Snapshot, unit: AppendItem) => Promise<readonly boolean[]>

type AppendGroup = readonly PendingItem<AppendItem, readonly boolean[]>[]

/** The maximum size of a record. A larger item gets its own record. */
const maxRecord = { events: 500, bytes: 64 * 1024 }

/** Splits the waiting items into records, in order of arrival. */
function recordsOf(group: AppendGroup): AppendGroup[] {
  const records: PendingItem<AppendItem, readonly boolean[]>[][] = []
  let events = 0
  let bytes = 0
  for (const each of group) {
    events += each.unit.keys.length
    bytes += each.unit.part.body.length
    const record = records.at(-1)
    if (record && events <= maxRecord.events && bytes <= maxRecord.bytes) {
      record.push(each)
      continue
    }
    records.push([each])
    events = each.unit.keys.length
    bytes = each.unit.part.body.length
  }
  return records
}

/**
 * After a group of at least `units` requests, the next group waits `waitMs`, because a larger group costs less per
 * request.
 */
const largeGroup = { units: 8, waitMs: 3 }

/** Approximate length of a context without the users of an array, and of one of these users. */
const [contextBytes, userIdBytes] = [1_024, 40]

function keepParts(
  recentRecords: Pick<RecentRecords, 'keep'>,
  { payload, tagId }: StreamEntry,
  items: readonly AppendItem[],
): void {
  const parts = items.flatMap(({ part: { context, body }, parsed }) => {
    const bytes = body.length + contextBytes + userIdBytes * (context.userIds?.length ?? 0)
    return parsed ? { context, body: parsed, bytes } : []
  })
  if (parts.length === items.length) recentRecords.keep(payload, tagId, parts)
}

/** Requests of a tag that arrive while the disk is busy are merged into as few records as possible (group commit). */
export function createAppendBatcher({
  stream,
  keys,
  clock,
  meter,
  environment,
  recentRecords,
}: Pick<EdgeDeps, 'stream' | 'keys' | 'clock' | 'meter' | 'environment' | 'recentRecords'>): AppendBatcher {
  const help = 'Time to write a record of events to the disk.'
  const commit = meter.histogram('aglet_commit_duration_seconds', help, localBoundsSeconds, { environment })
  const batchers = new WeakMap<Snapshot, Batcher<AppendItem, readonly boolean[]>>()

  async function appendRecord(tag: Snapshot, record: AppendGroup): Promise<void> {
    const items = record.map(({ unit }) => unit)
    const beganAt = performance.now()
    const entry = sealEntry(items, tag, keys)
    if (recentRecords) keepParts(recentRecords, entry, items)
    const isNew = await stream.append(entry)
    commit.record((performance.now() - beganAt) / 1_000)
    let first = 0
    for (const { unit, resolve } of record) {
      resolve(isNew.slice(first, first + unit.keys.length))
      first += unit.keys.length
    }
  }
  const openBatcher = (tag: Snapshot) =>
    createBatcher<AppendItem, readonly boolean[]>(
      async (group) => {
        const appendOrReject = (record: AppendGroup) =>
          appendRecord(tag, record).catch((problem) => {
            for (const { reject } of record) reject(problem)
          })
        const groups = stream.slotFor ? Map.groupBy(group, ({ unit }) => unit.slot).values() : [group]
        await Promise.all([...groups].flatMap(recordsOf).map(appendOrReject))
        if (group.length >= largeGroup.units) await clock.wait(largeGroup.waitMs)
      },
      { limit: Number.POSITIVE_INFINITY, weigh: () => 0 },
    )
  return (tag, unit) => {
    const batcher = batchers.get(tag) ?? openBatcher(tag)
    batchers.set(tag, batcher)
    return appendBySlot(unit, tag.tagId, stream.slotFor, batcher.add)
  }
}
