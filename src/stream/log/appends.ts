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
export function openAppends(parts: StreamParts, noteAppended: (length: number) => void, notify: () => void) {
  const { log, keys, recent, state, clock } = parts
  let latest: Promise<unknown> = Promise.resolve()
  /** Groups that failed: an event may have been judged to repeat one of theirs. */
  let failures = 0
  let today = dayOf(clock.now())
  let unwritten: number[] = []
  let timer: NodeJS.Timeout | undefined
  keys.setDay(today)

  function setDay(): void {
    const day = dayOf(clock.now())
    if (day === today) return
    today = day
    keys.setDay(day)
    log.beginSegment()
  }
  function takeSettled(): ReturnType<typeof encodeSettled>[] {
    if (unwritten.length === 0) return []
    clearTimeout(timer)
    timer = undefined
    const positions = unwritten
    unwritten = []
    return [encodeSettled(positions)]
  }
  const flushSettled = async () => {
    const records = takeSettled()
    // If this fails the bodies are leased again after a restart, and were planned before.
    if (records.length > 0) await log.append(records).catch(() => {})
  }
  /** Takes the new keys of an entry. The others are duplicates. */
  function takeKeys({ keys: given, others }: StreamEntry, position: number) {
    const areNew = given.map((key, index) => {
      const other = others?.[index] ?? 0n
      if (key === 0n || keys.find(key) !== undefined || (other !== 0n && keys.find(other) !== undefined)) return false
      keys.add(key, packPlace(position, index))
      return true
    })
    return { areNew, taken: given.filter((_, index) => areNew[index]) }
  }
  async function store(body: BodyRecord): Promise<void> {
    const appending = log.append([...takeSettled(), encodeBody(body)])
    latest = appending
    try {
      const place = (await appending).at(-1)!
      recent.add({ ...body, place })
      noteAppended(place.length)
      notify()
    } catch (error) {
      failures++
      keys.giveBack(body.keys)
      state.settled.settle([body.position])
      throw error
    }
  }
  return {
    async append(entry: StreamEntry): Promise<boolean[]> {
      checkEntry(entry)
      setDay()
      const position = state.last + 1
      const { areNew, taken } = takeKeys(entry, position)
      const before = failures
      if (taken.length === 0) await latest
      else {
        state.last = position
        const newIndexes = [...areNew.keys()].filter((index) => areNew[index])
        const { tagId, payload } = entry
        await store({ position, tagId, appendedAt: clock.now(), newIndexes, keys: taken, payload })
      }
      if (failures !== before) throw new LogUnwritable('the disk has failed while an event was compared with others')
      return areNew
    },
    async settle(positions: readonly number[]): Promise<void> {
      const added = state.settled.settle(positions.filter((position) => position <= state.last))
      for (const position of added) recent.release(position)
      unwritten.push(...added)
      if (unwritten.length > 0) timer ??= setTimeout(() => void flushSettled(), settleAfterMs).unref()
    },
    flushSettled,
    /** Resolves when what was appended is on disk, or has failed. */
    async ended() {
      clearTimeout(timer)
      await latest.catch(() => {})
      await flushSettled()
    },
  }
}
