import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '#kit/clock.ts'
import type { Thread } from '#kit/thread.ts'
import type { SegmentLog } from '#log/log.ts'
import { dayOf } from '#stream/days.ts'
import type { TrimGuard } from '#stream/stream.ts'
import { encodeSettled } from './bodyRecords.ts'
import type { KeyIndex } from './keyIndex.ts'
import type { StreamState } from './readState.ts'
import type { IndexCommand, IndexReply } from './streamIndex.ts'

export type TrimDeps = {
  log: SegmentLog
  db: DatabaseSync
  index: Thread<IndexCommand, IndexReply>
  keys: KeyIndex
  state: Pick<StreamState, 'settled'>
  clock: Clock
  checkpoint(): Promise<void>
  /** Appends a body anew, and erases the earlier copy. */
  move(position: number, change: (payload: Uint8Array) => Uint8Array): Promise<unknown>
  isClosed(): boolean
}

const selectSegments = 'SELECT segment, max(appended_at) AS newest FROM body GROUP BY segment ORDER BY segment'
const selectBodies = 'SELECT position, appended_at FROM body WHERE segment = ? ORDER BY position'

const unchanged = (payload: Uint8Array) => payload

/**
 * Deletes the segments whose bodies are settled and from before `beforeMs`. Bodies in them that are needed are appended
 * anew first. Then deletes expired keys.
 */
export async function trimLog(deps: TrimDeps, beforeMs: number, spare?: TrimGuard): Promise<void> {
  const { log, db, index, keys, clock, checkpoint, isClosed } = deps
  const day = dayOf(clock.now())
  const current = log.segments().at(-1)
  if (current && dayOf(current.createdAt) < day) {
    log.beginSegment()
    await log.append([encodeSettled([])])
  }
  await checkpoint() // what is in memory is in the index then, and no start reads the segments before it
  const writing = log.segments().at(-1)?.number
  for (const { segment, newest } of db.prepare(selectSegments).all() as { segment: number; newest: number }[]) {
    if (isClosed()) return
    if (segment === writing || newest >= beforeMs) continue
    if (!(await clearSegment(deps, segment, spare))) continue
    await checkpoint() // the new copies stand in the index before the old ones leave it
    await index.ask({ day, deleteSegments: [segment] })
    await log.deleteSegments([segment])
  }
  await deleteEmpty(deps, writing)
  for (let more: boolean | undefined = true; more && !isClosed(); ) {
    const reply = await index.ask({ day, deleteKeys: true })
    keys.setSegments(reply.segments, 0)
    more = reply.more
  }
}

/** Moves the bodies of a segment that are needed. False if one of the others is not settled. */
async function clearSegment({ db, state, move, isClosed }: TrimDeps, segment: number, spare?: TrimGuard) {
  const bodies = db.prepare(selectBodies).all(segment) as { position: number; appended_at: number }[]
  if (bodies.some(({ position }) => !state.settled.has(position))) return false
  const old = spare ? bodies.filter(({ appended_at }) => appended_at >= spare.lastMs) : []
  const needed = spare && old.length > 0 ? await spare.needed(old[0]!.position, old.at(-1)!.position) : []
  const kept = new Set(needed)
  for (const { position } of old) {
    if (isClosed()) return false
    if (kept.has(position)) await move(position, unchanged)
  }
  return true
}

/** Segments that hold no body any more: those of settled positions, and those whose bodies were moved. */
async function deleteEmpty({ log, db }: TrimDeps, writing: number | undefined): Promise<void> {
  const used = new Set(
    db
      .prepare('SELECT DISTINCT segment FROM body')
      .all()
      .map(({ segment }) => Number(segment)),
  )
  const empty = log.segments().filter(({ number }) => number !== writing && !used.has(number))
  if (empty.length > 0) await log.deleteSegments(empty.map(({ number }) => number))
}
