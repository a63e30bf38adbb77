import type { Clock } from '#kit/clock.ts'
import { keyedMutex } from '#kit/keyedMutex.ts'
import { processLog } from '#kit/log.ts'
import type { Thread } from '#kit/thread.ts'
import type { LogPosition, SegmentLog } from '#log/log.ts'
import { dayOf } from '#stream/days.ts'
import { newBits } from './bodyRecords.ts'
import type { KeyIndex } from './keyIndex.ts'
import type { StreamState } from './readState.ts'
import type { RecentBodies } from './recentBodies.ts'
import type { IndexCommand, IndexReply, Removal } from './streamIndex.ts'

type CheckpointDeps = {
  log: Pick<SegmentLog, 'end'>
  index: Thread<IndexCommand, IndexReply>
  keys: KeyIndex
  recent: RecentBodies
  state: StreamState
  clock: Pick<Clock, 'now'>
  /** Resolves when the bodies that were appended so far are on disk, or have failed. */
  appended(): Promise<void>
  /** Runs this at a moment in which no earlier copy of a body is left to be erased. */
  betweenErasures<Result>(work: () => Result): Promise<Result>
}

/** What is in memory is written to the index, so that a restart reads only the log behind it. */
export type Checkpoints = {
  /** Resolves to the place in the log before which everything stands in the index. */
  checkpoint(): Promise<LogPosition>
  /** Asks the index to delete something, while no checkpoint is written. Resolves to whether there may be more. */
  remove(command: Removal): Promise<boolean>
  /** A record of this many bytes was appended: the index takes over once enough are in memory. */
  noteAppended(bytes: number): void
  /** The bytes of the log that a restart would read. */
  lag(): number
}

const bytesPerCheckpoint = 16 * 1024 * 1024
/** After a failure the next one waits this long. */
const retryAfterMs = 5_000
/** Rows that are handed over at once, which bounds how long the event loop waits for it. */
const rowsPerMessage = 500

/** Writes what is in memory to the index: everything before this place of the log. */
async function writeCheckpoint(
  { index, keys, recent, state, clock, appended }: CheckpointDeps,
  at: LogPosition,
): Promise<void> {
  const day = dayOf(clock.now())
  // The order matters: each key in the tables is that of a stored body, and each body before `at` is among the bodies.
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
  const buffers = tables.map(({ pairs }) => pairs.buffer as ArrayBuffer)
  const { segments } = await index.ask({ day, checkpoint, keys: tables }, buffers)
  keys.setSegments(segments, tables.length)
  state.indexed = position
  recent.drop(bodies)
}

export function openCheckpoints(deps: CheckpointDeps): Checkpoints {
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
    remove: (removal) =>
      withLock('index', async () => {
        const { segments, more = false } = await index.ask({ day: dayOf(clock.now()), ...removal })
        keys.setSegments(segments, 0)
        return more
      }),
    noteAppended(length) {
      bytes += length
      if (isScheduled || (bytes < bytesPerCheckpoint && !keys.isFull()) || clock.now() < notBefore) return
      void writeSoon()
    },
    lag: () => bytes,
  }
}
