import type { Database } from '#postgres/database.ts'
import { createSignal } from '#stream/signal.ts'
import type { LeaseTurns } from '#stream/stream.ts'
import type { LeaseQueue } from './leaseQueue.ts'
import { readTodo } from './readTodo.ts'

/** How often other processes' appends are looked for, and all records of the owned slots are read again. */
const readEveryMs = 50
const readWholeEveryMs = 60_000

/** Reads records of the owned slots into the queue, when that is due. */
export type SlotReader = {
  isDue(): boolean
  /** Callers at the same time share one read. */
  read(ownerOf: LeaseTurns['ownerOf']): Promise<void>
  /** Resolves when a read is due, or the signal is aborted. */
  wait(signal: AbortSignal): Promise<void>
  /** This process has appended records of these slots, which are read at once. */
  appended(slots: Iterable<number>): void
  /** All slots are read at once. */
  readSoon(): void
  close(): void
}

export function slotReader(
  queue: LeaseQueue,
  { database, slots }: { database: Database; slots(): readonly number[] },
): SlotReader {
  const changed = createSignal()
  let appendedSlots = new Set<number>()
  let [readAt, readWholeAt] = [Number.NEGATIVE_INFINITY, performance.now()]
  let reading: Promise<void> | undefined
  let closed = false

  /** Which slots are to be read now, from where. */
  function nextCursors() {
    const now = performance.now()
    const isAllDue = now - readAt >= readEveryMs
    if (isAllDue) readAt = now
    if (now - readWholeAt >= readWholeEveryMs) {
      readWholeAt = now
      queue.restart()
    }
    queue.setSlots(slots())
    const cursors = queue.cursors(isAllDue ? undefined : appendedSlots)
    appendedSlots = new Set()
    return cursors
  }
  /** Slots that have more than one read returns are read again. */
  async function read(ownerOf: LeaseTurns['ownerOf']): Promise<void> {
    let cursors = nextCursors()
    while (cursors.length > 0 && !closed) {
      queue.readBegins()
      cursors = queue.cursors(queue.add(await readTodo(database, cursors), ownerOf))
    }
  }
  return {
    isDue: () => appendedSlots.size > 0 || performance.now() - readAt >= readEveryMs,
    read(ownerOf) {
      reading ??= read(ownerOf).finally(() => {
        reading = undefined
      })
      return reading
    },
    async wait(signal) {
      const timer = setTimeout(changed.notify, Math.max(1, readEveryMs - (performance.now() - readAt)))
      await changed.wait(signal)
      clearTimeout(timer)
    },
    appended(of) {
      for (const slot of of) appendedSlots.add(slot)
      changed.notify()
    },
    readSoon() {
      readAt = Number.NEGATIVE_INFINITY
      changed.notify()
    },
    close() {
      closed = true
      changed.notify()
    },
  }
}
