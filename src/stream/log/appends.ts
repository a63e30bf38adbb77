import type { Clock } from '#kit/clock.ts'
import { type LogRecord, LogUnwritable, type SegmentLog } from '#log/log.ts'
import { checkEntry } from '#stream/checkEntry.ts'
import { dayOf } from '#stream/days.ts'
import { packPlace } from '#stream/dedup/keyPlaces.ts'
import type { StreamEntry } from '#stream/stream.ts'
import { type BodyRecord, encodeBody, encodeSettled } from './bodyRecords.ts'
import type { KeyIndex } from './keyIndex.ts'
import type { StreamState } from './readState.ts'
import type { RecentBodies } from './recentBodies.ts'

type AppendsDeps = {
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

/** Settled positions are written with the next bodies, or after this time. */
const settleAfterMs = 1_000
/** With a larger lag, a restart would take too long, and the index would need too much space for the rest. */
const maxLag = 256 * 1024 * 1024

/**
 * The settled positions that are not in the log yet. After a crash they may be missing: their bodies are then leased
 * again.
 */
class UnwrittenPositions {
  readonly #log: AppendsDeps['log']
  #positions: number[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(log: AppendsDeps['log']) {
    this.#log = log
  }
  add(settled: readonly number[]): void {
    for (const position of settled) this.#positions.push(position)
    if (settled.length > 0) this.#timer ??= setTimeout(() => void this.flush(), settleAfterMs).unref()
  }
  take(): LogRecord[] {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const positions = this.#positions
    this.#positions = []
    return positions.length > 0 ? [encodeSettled(positions)] : []
  }
  async flush(): Promise<void> {
    const records = this.take()
    if (records.length > 0) await this.#log.append(records).catch(() => {})
  }
}

/** Appends bodies whose events are new, and settles them. */
export class Appends {
  readonly #deps: AppendsDeps
  readonly #unwritten: UnwrittenPositions
  #today: number
  #latest: Promise<unknown> = Promise.resolve()
  /** The number of failed bodies: events may have been judged to be duplicates of their events. */
  #failures = 0

  constructor(deps: AppendsDeps) {
    this.#deps = deps
    this.#unwritten = new UnwrittenPositions(deps.log)
    this.#today = dayOf(deps.clock.now())
    deps.keys.setDay(this.#today)
  }
  async append(entry: StreamEntry): Promise<boolean[]> {
    checkEntry(entry)
    const { state, clock, lag } = this.#deps
    if (lag() > maxLag) throw new LogUnwritable('the disk is too slow: the index of the stream has fallen behind')
    this.#setDay()
    const position = state.last + 1
    const areNew = this.#takeKeys(entry, position)
    const newIndexes = [...areNew.keys()].filter((index) => areNew[index])
    const before = this.#failures
    if (newIndexes.length > 0) {
      state.last = position
      const keys = newIndexes.map((index) => entry.keys[index]!)
      const { tagId, payload } = entry
      await this.#store({ position, tagId, appendedAt: clock.now(), newIndexes, keys, payload })
    } else await this.#latest
    if (this.#failures !== before && areNew.includes(false))
      throw new LogUnwritable('the disk failed while an event was checked for duplicates')
    return areNew
  }
  settle(positions: readonly number[]): void {
    const { state, recent } = this.#deps
    const added = state.settled.settle(positions.filter((position) => position <= state.last))
    for (const position of added) recent.release(position)
    this.#unwritten.add(added)
  }
  /** Writes the settled positions now, instead of with the next body. */
  flushSettled(): Promise<void> {
    return this.#unwritten.flush()
  }
  /** Resolves when all bodies appended so far are on disk, or have failed. */
  async appended(): Promise<void> {
    await this.#latest.catch(() => {})
  }
  async close(): Promise<void> {
    await this.appended()
    await this.#unwritten.flush()
  }
  #setDay(): void {
    const { clock, keys, log } = this.#deps
    const day = dayOf(clock.now())
    if (day === this.#today) return
    this.#today = day
    keys.setDay(day)
    log.beginSegment()
  }
  /** Adds the new keys of an entry, and returns which events are new. The other events are duplicates. */
  #takeKeys({ keys: given, others }: StreamEntry, position: number): boolean[] {
    const { keys } = this.#deps
    return given.map((key, index) => {
      const other = others?.[index] ?? 0n
      if (key === 0n || keys.find(key) !== undefined || (other !== 0n && keys.find(other) !== undefined)) return false
      keys.add(key, packPlace(position, index))
      return true
    })
  }
  async #store(body: BodyRecord): Promise<void> {
    const { log, keys, recent, state, noteStored } = this.#deps
    const appending = log.append([...this.#unwritten.take(), encodeBody(body)])
    this.#latest = appending
    try {
      const place = (await appending).at(-1)!
      const { keys: _, ...stored } = body
      recent.add({ ...stored, place })
      noteStored(place.length)
    } catch (error) {
      this.#failures++
      keys.giveBack(body.keys)
      state.settled.settle([body.position])
      throw error
    }
  }
}
