import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '#kit/clock.ts'
import { yieldToEventLoop } from '#kit/yieldToEventLoop.ts'
import type { LogPlace, SegmentLog } from '#log/log.ts'
import { dayOf } from '#stream/days.ts'
import type { TrimGuard } from '#stream/stream.ts'
import { encodeSettled } from './bodyRecords.ts'
import type { Checkpoints } from './checkpoints.ts'
import type { StreamState } from './readState.ts'

type TrimDeps = Pick<Checkpoints, 'checkpoint' | 'remove'> & {
  log: SegmentLog
  db: DatabaseSync
  state: Pick<StreamState, 'settled'>
  clock: Pick<Clock, 'now'>
  /** Appends bodies again, and erases their earlier copies. */
  copy(positions: readonly number[]): Promise<void>
  isClosed(): boolean
}

type BodyRow = LogPlace & { position: number; appended_at: number }

/** The number of bodies that are checked before other work of this thread runs. */
const batchSize = 200

const selectNewest = 'SELECT appended_at FROM body WHERE segment = ? ORDER BY position DESC LIMIT 1'
const selectBodies =
  'SELECT position, appended_at FROM body WHERE segment = ? AND position > ? ORDER BY position LIMIT ?'
const selectOldest =
  'SELECT position, appended_at, segment, offset, length FROM body WHERE position > ? ORDER BY position LIMIT ?'

/**
 * Deletes the segments whose bodies are all settled and older than `beforeMs`. Bodies that are still needed are
 * appended again first. Then deletes expired keys.
 */
export async function trimLog(deps: TrimDeps, beforeMs: number, guard?: TrimGuard): Promise<void> {
  const { log, clock, checkpoint, remove, isClosed } = deps
  const newest = log.segments().at(-1)
  if (newest && dayOf(newest.createdAt) < dayOf(clock.now())) {
    log.beginSegment()
    await log.append([encodeSettled([])])
  }
  const { segment: end } = await checkpoint()
  // Keep the segments from this end on: a restart reads them, and they may hold bodies that are not in the index yet.
  for (const { number } of log.segments()) {
    if (number >= end || isClosed()) break
    if (!(await clearSegment(deps, number, beforeMs, guard))) continue
    await checkpoint() // the index has the new copies before the old ones are deleted
    await remove({ deleteSegments: [number] })
    await log.deleteSegments([number])
  }
  if (guard) await dropOldest(deps, guard.lastMs)
  while (!isClosed() && (await remove({ deleteKeys: true })));
}

async function* inBatches(read: (after: number) => BodyRow[]): AsyncGenerator<BodyRow[]> {
  for (let after = 0; ; ) {
    const rows = read(after)
    if (rows.length > 0) yield rows
    if (rows.length < batchSize) return
    after = rows.at(-1)!.position
    await yieldToEventLoop()
  }
}

/** Copies the needed bodies of a segment. False if the segment must stay. */
async function clearSegment(
  { db, state, copy, isClosed }: TrimDeps,
  segment: number,
  beforeMs: number,
  guard?: TrimGuard,
): Promise<boolean> {
  const newest = db.prepare(selectNewest).get(segment) as { appended_at: number } | undefined
  if (newest && newest.appended_at >= beforeMs) return false
  const select = db.prepare(selectBodies)
  const batches = () => inBatches((after) => select.all(segment, after, batchSize) as BodyRow[])
  for await (const rows of batches())
    if (rows.some((row) => row.appended_at >= beforeMs || !state.settled.has(row.position))) return false
  if (!guard) return true
  for await (const rows of batches()) {
    if (isClosed()) return false
    const young = rows.filter((row) => row.appended_at >= guard.lastMs).map(({ position }) => position)
    const [first, last] = [young[0], young.at(-1)]
    if (first === undefined || last === undefined) continue
    const needed = new Set(await guard.needed(first, last))
    for (const position of young) if (needed.has(position)) await copy([position])
  }
  return true
}

/** Erases the settled bodies from before `lastMs`, which were copied to younger segments while they were needed. */
async function dropOldest({ log, db, state, remove, isClosed }: TrimDeps, lastMs: number): Promise<void> {
  const select = db.prepare(selectOldest)
  for await (const rows of inBatches((after) => select.all(after, batchSize) as BodyRow[])) {
    const old = rows.filter((row) => row.appended_at < lastMs)
    const settled = old.filter(({ position }) => state.settled.has(position))
    if (settled.length > 0) {
      await log.erase(settled)
      await remove({ deleteBodies: settled.map(({ position }) => position) })
    }
    if (old.length < rows.length || isClosed()) return
  }
}
