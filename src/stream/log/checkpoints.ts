import type { Clock } from '#kit/clock.ts'
import { keyedMutex } from '#kit/keyedMutex.ts'
import { processLog } from '#kit/log.ts'
import type { RestingThread } from '#kit/restingThread.ts'
import type { LogPosition, SegmentLog } from '#log/log.ts'
import { dayOf } from '#stream/days.ts'
import { newBits } from './bodyRecords.ts'
import type { KeyIndex } from './keyIndex.ts'
import type { StreamState } from './readState.ts'
import type { RecentBodies } from './recentBodies.ts'
import type { IndexCommand, IndexReply, Removal } from './streamIndex.ts'

type CheckpointDeps = {
  log: Pick<SegmentLog, 'end'>
  index: Pick<RestingThread<IndexCommand, IndexReply>, 'ask'>
  keys: KeyIndex
  recent: RecentBodies
  state: StreamState
  clock: Pick<Clock, 'now'>
  /** Resolves when all bodies appended so far are on disk, or have failed. */
  appended(): Promise<void>
  /** Runs work at a moment when no earlier copy of a body remains to be erased. */
  betweenErasures<Result>(work: () => Result): Promise<Result>
}

/** Writes the data in memory to the index, so that a restart reads only the log behind it. */
export type Checkpoints = ReturnType<typeof openCheckpoints>

const bytesPerCheckpoint = 16 * 1024 * 1024
/** The pause before the next checkpoint after a failed one. */
const retryAfterMs = 5_000
/** Rows sent in one message, which bounds how long the event loop is blocked. */
const rowsPerMessage = 500

/** Writes all data from before this log position to the index. */
async function writeCheckpoint(
  { index, keys, recent, state, clock, appended }: CheckpointDeps,
  at: LogPosition,
): Promise<void> {
  const day = dayOf(clock.now())
  // In this order: each key in the tables belongs to a stored body, and each body before `at` is in the list.
  keys.rotate()
  await appended()
  const [bodies, tables] = [recent.all(), keys.takeTables()]
  const position = bodies.reduce((last, body) => Math.max(last, body.position), state.indexed)
  const checkpoint = { at, position, cursor: state.settled.cursor(), ahead: state.settled.ahead() }
  for (let from = 0; from < bodies.length; from += rowsPerMessage) {
    const rows = bodies.slice(from, from + rowsPerMessage).map(({ newIndexes, place, payload, ...body }) => {
      return { ...body, newBits: newBits(newIndexes), ...place }
    })
    await index.ask({ day, bodies: rows })
  }
  const { segments } = await index.ask({ day, checkpoint, keys: tables })
  keys.setSegments(segments, tables.length)
  state.indexed = position
  recent.drop(bodies)
}

export function openCheckpoints(deps: CheckpointDeps) {
  const { log, index, keys, clock } = deps
  const withLock = keyedMutex()
  let bytes = 0
  let isScheduled = false
  let notBefore = 0

  async function write(): Promise<LogPosition> {
    const { at, lag } = await deps.betweenErasures(() => ({ at: log.end(), lag: bytes }))
    await writeCheckpoint(deps, at)
    bytes -= lag
    return at
  }
  /** Resolves to the log position up to which the index is complete. */
  const checkpoint = () => withLock('index', write)

  async function writeSoon(): Promise<void> {
    isScheduled = true
    try {
      await checkpoint()
    } catch (error) {
      notBefore = clock.now() + retryAfterMs
      processLog({ level: 'error', message: 'could not write the index of the stream', error })
    }
    isScheduled = false
  }
  return {
    checkpoint,
    /** Deletes rows of the index while no checkpoint is written. Resolves to true if there may be more. */
    remove: (removal: Removal) =>
      withLock('index', async () => {
        const { segments, more = false } = await index.ask({ day: dayOf(clock.now()), ...removal })
        keys.setSegments(segments, 0)
        return more
      }),
    /** Counts a record of this many bytes. Starts a checkpoint once enough data is in memory. */
    noteAppended(length: number): void {
      bytes += length
      if (isScheduled || (bytes < bytesPerCheckpoint && !keys.isFull()) || clock.now() < notBefore) return
      void writeSoon()
    },
    /** The number of bytes of the log that a restart would read. */
    lag: () => bytes,
  }
}
