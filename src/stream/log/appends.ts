import type { Clock } from '#kit/clock.ts'
import { type LogRecord, LogUnwritable, type SegmentLog } from '#log/log.ts'
import { dayOf } from '#stream/days.ts'
import { packPlace } from '#stream/dedup/keyPlaces.ts'
import type { StreamEntry } from '#stream/stream.ts'
import { type BodyRecord, encodeBody, encodeSettled } from './bodyRecords.ts'
import type { KeyIndex } from './keyIndex.ts'
import type { StreamState } from './readState.ts'
import type { RecentBodies } from './recentBodies.ts'

export type AppendsDeps = {
  log: Pick<SegmentLog, 'append' | 'beginSegment'>
  keys: KeyIndex
  recent: RecentBodies
  state: StreamState
  clock: Pick<Clock, 'now'>
  /** A body of this many bytes was stored. */
  noteStored(bytes: number): void
  /** The bytes of the log that are not in the index. */
  lag(): number
}

export type Appends = {
  append(entry: StreamEntry): Promise<boolean[]>
  settle(positions: readonly number[]): void
  /** Writes the settled positions that wait for a body to ride with. */
  flushSettled(): Promise<void>
  /** Resolves when the bodies that were appended so far are on disk, or have failed. */
  appended(): Promise<void>
  close(): Promise<void>
}

const eventsPerBody = 500
/** Settled positions ride with the next bodies, or are written after this time. */
const settleAfterMs = 1_000
/** Above this a restart would take too long, and the index needs room for what it has not written yet. */
const maxLag = 256 * 1024 * 1024

/** Throws a RangeError for too many events, or if the numbers of keys and other keys differ. */
function checkEntry({ keys, others }: StreamEntry): void {
  if (keys.length > eventsPerBody)
    throw new RangeError(`a body has at most ${eventsPerBody} events, not ${keys.length}`)
  if (others && others.length !== keys.length)
    throw new RangeError(`an entry needs one other key for each of its ${keys.length} keys, not ${others.length}`)
}

/** The settled positions that the log does not have yet. A crash may lose them: their bodies are then leased again. */
function openUnwritten(log: AppendsDeps['log']) {
  let positions: number[] = []
  let timer: NodeJS.Timeout | undefined
  function take(): LogRecord[] {
    clearTimeout(timer)
    timer = undefined
    if (positions.length === 0) return []
    const records = [encodeSettled(positions)]
    positions = []
    return records
  }
  async function flush(): Promise<void> {
    const records = take()
    if (records.length > 0) await log.append(records).catch(() => {})
  }
  return {
    take,
    flush,
    add(settled: readonly number[]) {
      for (const position of settled) positions.push(position)
      if (settled.length > 0) timer ??= setTimeout(() => void flush(), settleAfterMs).unref()
    },
  }
}

/** Appends bodies whose events are new, and settles them. */
export function openAppends({ log, keys, recent, state, clock, noteStored, lag }: AppendsDeps): Appends {
  const unwritten = openUnwritten(log)
  let today = dayOf(clock.now())
  let latest: Promise<unknown> = Promise.resolve()
  /** Bodies that failed: an event may have been judged to repeat one of theirs. */
  let failures = 0
  keys.setDay(today)

  function setDay(): void {
    const day = dayOf(clock.now())
    if (day === today) return
    today = day
    keys.setDay(day)
    log.beginSegment()
  }
  /** Takes the new keys of an entry. The other events are duplicates. */
  function takeKeys({ keys: given, others }: StreamEntry, position: number): boolean[] {
    return given.map((key, index) => {
      const other = others?.[index] ?? 0n
      if (key === 0n || keys.find(key) !== undefined || (other !== 0n && keys.find(other) !== undefined)) return false
      keys.add(key, packPlace(position, index))
      return true
    })
  }
  async function store(body: BodyRecord): Promise<void> {
    const appending = log.append([...unwritten.take(), encodeBody(body)])
    latest = appending
    try {
      const place = (await appending).at(-1)!
      const { keys: _, ...stored } = body
      recent.add({ ...stored, place })
      noteStored(place.length)
    } catch (error) {
      failures++
      keys.giveBack(body.keys)
      state.settled.settle([body.position])
      throw error
    }
  }
  return {
    async append(entry) {
      checkEntry(entry)
      if (lag() > maxLag) throw new LogUnwritable('the disk is too slow: the index of the stream has fallen behind')
      setDay()
      const position = state.last + 1
      const areNew = takeKeys(entry, position)
      const newIndexes = [...areNew.keys()].filter((index) => areNew[index])
      const before = failures
      if (newIndexes.length > 0) {
        state.last = position
        const taken = newIndexes.map((index) => entry.keys[index]!)
        const { tagId, payload } = entry
        await store({ position, tagId, appendedAt: clock.now(), newIndexes, keys: taken, payload })
      } else await latest
      if (failures !== before && areNew.includes(false))
        throw new LogUnwritable('the disk has failed while an event was compared with others')
      return areNew
    },
    settle(positions) {
      const added = state.settled.settle(positions.filter((position) => position <= state.last))
      for (const position of added) recent.release(position)
      unwritten.add(added)
    },
    flushSettled: unwritten.flush,
    appended: () =>
      latest.then(
        () => {},
        () => {},
      ),
    async close() {
      await latest.catch(() => {})
      await unwritten.flush()
    },
  }
}
