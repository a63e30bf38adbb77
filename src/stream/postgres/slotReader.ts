import type { Database } from '#postgres/database.ts'
import { createSignal } from '#stream/signal.ts'
import type { LeaseTurns } from '#stream/stream.ts'
import type { LeaseQueue } from './leaseQueue.ts'
import { readTodo } from './readTodo.ts'

/**
 * How often the active slots are read. A slot is active if it had new records recently, or has more than one read
 * returns.
 */
const readActiveEveryMs = 50
/** Longer than the time between two notices of a process about a slot (`appendNotices`). */
const activeMs = 2_000
/**
 * How often all owned slots are read, because a notice may be lost, or its process may have ended before it sent the
 * notice. Reduced by up to a fifth at random, so that workers do not read at the same time.
 */
const readAllEveryMs = 3_000
/** How often all records of the owned slots are read again from their start. */
const readWholeEveryMs = 60_000

/** Reads records of the owned slots into the queue when a read is due. */
export type SlotReader = ReturnType<typeof slotReader>

type SlotReaderDeps = {
  database: Pick<Database, 'sql'>
  /** The slots that this process owns at the moment. */
  slots(): readonly number[]
  /** A clock that is never set (ms). */
  monotonicMs(): number
}

/** The active slots, each until a time. */
function activeSlots(monotonicMs: () => number) {
  const until = new Map<number, number>()
  return {
    add(slots: Iterable<number>, forMs = activeMs) {
      const end = monotonicMs() + forMs
      for (const slot of slots) until.set(slot, end)
    },
    /** The slots that are still active. */
    current(): number[] {
      const now = monotonicMs()
      for (const [slot, end] of until) if (end <= now) until.delete(slot)
      return [...until.keys()]
    },
  }
}

/** Decides which slots to read, and when. */
function readSchedule(queue: LeaseQueue, { slots, monotonicMs }: Omit<SlotReaderDeps, 'database'>) {
  const active = activeSlots(monotonicMs)
  let appendedSlots = new Set<number>()
  let missed = false
  let [activeReadAt, allReadAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let wholeReadAt = monotonicMs()

  /** All owned slots. Slots without space in the queue are made active, so that they are read once they have space. */
  function allCursors() {
    if (missed) active.add(slots())
    missed = false
    const cursors = queue.cursors()
    const read = new Set(cursors.map(({ slot }) => slot))
    active.add(
      slots().filter((slot) => !read.has(slot)),
      readAllEveryMs + readActiveEveryMs,
    )
    return cursors
  }
  return {
    /** The time until the next read is due (ms). */
    dueInMs(): number {
      if (appendedSlots.size > 0) return 0
      const now = monotonicMs()
      const activeIn = active.current().length > 0 ? activeReadAt + readActiveEveryMs - now : Number.POSITIVE_INFINITY
      return Math.max(0, Math.min(activeIn, allReadAt + readAllEveryMs - now))
    },
    /** The cursors for a read that begins now. */
    nextCursors() {
      const now = monotonicMs()
      const isAllDue = now - allReadAt >= readAllEveryMs
      activeReadAt = now
      if (isAllDue) allReadAt = now - (Math.random() * readAllEveryMs) / 5
      if (now - wholeReadAt >= readWholeEveryMs) {
        wholeReadAt = now
        queue.restart()
      }
      queue.setSlots(slots())
      const wanted = new Set([...appendedSlots, ...active.current()])
      appendedSlots = new Set()
      return isAllDue ? allCursors() : queue.cursors(wanted)
    },
    /** Reports that records of these slots were read. */
    found: (slots: Iterable<number>) => active.add(slots),
    /** True if one of the slots is owned. */
    appended(of: Iterable<number>): boolean {
      const owned = new Set(slots())
      const mine = [...of].filter((slot) => owned.has(slot))
      active.add(mine)
      for (const slot of mine) appendedSlots.add(slot)
      return mine.length > 0
    },
    readSoon() {
      allReadAt = Number.NEGATIVE_INFINITY
      missed = true
    },
  }
}

export function slotReader(queue: LeaseQueue, { database, ...deps }: SlotReaderDeps) {
  const changed = createSignal()
  const schedule = readSchedule(queue, deps)
  let reading: Promise<void> | undefined
  let closed = false

  /** Reads slots again that have more than one read returns. */
  async function read(ownerOf: LeaseTurns['ownerOf']): Promise<void> {
    let cursors = schedule.nextCursors()
    while (cursors.length > 0 && !closed) {
      queue.readBegins()
      const result = await readTodo(database, cursors)
      schedule.found(result.rows.map(({ slot }) => slot))
      cursors = queue.cursors(queue.add(result, ownerOf))
    }
  }
  return {
    isDue: () => schedule.dueInMs() === 0,
    /** Concurrent callers share one read. */
    read(ownerOf: LeaseTurns['ownerOf']): Promise<void> {
      reading ??= read(ownerOf).finally(() => {
        reading = undefined
      })
      return reading
    },
    /** Resolves when a read is due, or the signal is aborted. */
    async wait(signal: AbortSignal): Promise<void> {
      const timer = setTimeout(changed.notify, Math.max(1, schedule.dueInMs()))
      await changed.wait(signal)
      clearTimeout(timer)
    },
    /** Reports new records in these slots. The owned ones of them are read at once. */
    appended(slots: Iterable<number>): void {
      if (schedule.appended(slots)) changed.notify()
    },
    /** Makes all slots due and active, because notices may have been lost. */
    readSoon(): void {
      schedule.readSoon()
      changed.notify()
    },
    close(): void {
      closed = true
      changed.notify()
    },
  }
}
