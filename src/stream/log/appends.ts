import { LogUnwritable } from '#log/log.ts'
import { dayOf } from '#stream/days.ts'
import { packPlace } from '#stream/dedup/keyPlaces.ts'
import type { StreamEntry } from '#stream/stream.ts'
import { type BodyRecord, encodeBody, encodeSettled } from './bodyRecords.ts'
import type { StreamParts } from './streamParts.ts'

const eventsPerBody = 500
/** Settled positions ride with the next bodies, or are written after this time. */
const settleAfterMs = 1_000

/** Throws a RangeError for too many events, or if the numbers of keys and other keys differ. */
function checkEntry({ keys, others }: StreamEntry): void {
  if (keys.length > eventsPerBody)
    throw new RangeError(`a body has at most ${eventsPerBody} events, not ${keys.length}`)
  if (others && others.length !== keys.length)
    throw new RangeError(`an entry needs one other key for each of its ${keys.length} keys, not ${others.length}`)
}

/** The append of bodies, and their settling. */
export class Appends {
  readonly #parts: StreamParts
  readonly #onAppended: (length: number) => void
  #latest: Promise<unknown> = Promise.resolve()
  /** Groups that failed: an event may have been judged to repeat one of theirs. */
  #failures = 0
  #today: number
  #unwritten: number[] = []
  #timer: NodeJS.Timeout | undefined

  /** `onAppended` gets the bytes of each body that is on disk. */
  constructor(parts: StreamParts, onAppended: (length: number) => void) {
    this.#parts = parts
    this.#onAppended = onAppended
    this.#today = dayOf(parts.clock.now())
    parts.keys.setDay(this.#today)
  }
  async append(entry: StreamEntry): Promise<boolean[]> {
    checkEntry(entry)
    this.#setDay()
    const { state, clock } = this.#parts
    const position = state.last + 1
    const { areNew, taken } = this.#takeKeys(entry, position)
    const before = this.#failures
    if (taken.length === 0) await this.#latest
    else {
      state.last = position
      const newIndexes = [...areNew.keys()].filter((index) => areNew[index])
      const { tagId, payload } = entry
      await this.#store({ position, tagId, appendedAt: clock.now(), newIndexes, keys: taken, payload })
    }
    if (this.#failures !== before)
      throw new LogUnwritable('the disk has failed while an event was compared with others')
    return areNew
  }
  async settle(positions: readonly number[]): Promise<void> {
    const { state, recent } = this.#parts
    const added = state.settled.settle(positions.filter((position) => position <= state.last))
    for (const position of added) recent.release(position)
    this.#unwritten.push(...added)
    if (this.#unwritten.length > 0) this.#timer ??= setTimeout(() => void this.flushSettled(), settleAfterMs).unref()
  }
  async flushSettled(): Promise<void> {
    const records = this.#takeSettled()
    // If this fails the bodies are leased again after a restart, and were planned before.
    if (records.length > 0) await this.#parts.log.append(records).catch(() => {})
  }
  /** Resolves when what was appended is on disk, or has failed. */
  async ended(): Promise<void> {
    await this.#latest.catch(() => {})
    await this.flushSettled()
  }
  #setDay(): void {
    const { clock, keys, log } = this.#parts
    const day = dayOf(clock.now())
    if (day === this.#today) return
    this.#today = day
    keys.setDay(day)
    log.beginSegment()
  }
  #takeSettled(): ReturnType<typeof encodeSettled>[] {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const positions = this.#unwritten
    this.#unwritten = []
    return positions.length > 0 ? [encodeSettled(positions)] : []
  }
  /** Takes the new keys of an entry. The others are duplicates. */
  #takeKeys({ keys: given, others }: StreamEntry, position: number) {
    const { keys } = this.#parts
    const areNew = given.map((key, index) => {
      const other = others?.[index] ?? 0n
      if (key === 0n || keys.find(key) !== undefined || (other !== 0n && keys.find(other) !== undefined)) return false
      keys.add(key, packPlace(position, index))
      return true
    })
    return { areNew, taken: given.filter((_, index) => areNew[index]) }
  }
  async #store(body: BodyRecord): Promise<void> {
    const { log, keys, recent, state } = this.#parts
    const appending = log.append([...this.#takeSettled(), encodeBody(body)])
    this.#latest = appending
    try {
      const place = (await appending).at(-1)!
      recent.add({ ...body, place })
      this.#onAppended(place.length)
    } catch (error) {
      this.#failures++
      keys.giveBack(body.keys)
      state.settled.settle([body.position])
      throw error
    }
  }
}
