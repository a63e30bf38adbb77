import type { Database } from '#postgres/database.ts'
import { createSignal } from '#stream/signal.ts'
import type { LeasedRecord, LeaseTurns } from '#stream/stream.ts'
import type { Bodies } from './bodies.ts'
import { type LeaseQueue, leaseQueue } from './leaseQueue.ts'
import { readTodo } from './readTodo.ts'

/** How often other processes' appends are looked for, and all records of the owned slots are read again. */
const readEveryMs = 50
const readWholeEveryMs = 60_000

/** The maximum total size of the payloads of one lease. */
const leaseBytes = 8 * 1024 * 1024

const inOrder: LeaseTurns = { ownerOf: () => '', events: Number.POSITIVE_INFINITY }

export type SlotLeases = Pick<LeaseQueue, 'known' | 'settled' | 'forget'> & {
  lease(limit: number, signal: AbortSignal, turns?: LeaseTurns): Promise<LeasedRecord[]>
  /** This process has appended records of these slots. */
  appended(slots: Iterable<number>): void
  gain(slots: readonly number[]): void
  /** Rejects waiting and later callers. */
  close(): void
}

type LeaseDeps = {
  database: Database
  bodies: Pick<Bodies, 'readMany'>
  /** The slots that this process owns now. */
  slots(): readonly number[]
  /** The first transaction that had not begun when the stream was opened. */
  openedAt: number
}

/** SlotLeases each record of the owned slots once. The database is read only while somebody waits for a record. */
export function openLeases({ database, bodies, slots, openedAt }: LeaseDeps): SlotLeases {
  const queue = leaseQueue()
  queue.gain(slots(), openedAt)
  const changed = createSignal()
  let appendedSlots = new Set<number>()
  let [readAt, readWholeAt] = [Number.NEGATIVE_INFINITY, performance.now()]
  let reading: Promise<void> | undefined
  let closed = false

  /** Reads on in some slots, or in all. Slots that have more than one read returns are read again. */
  async function read(ownerOf: LeaseTurns['ownerOf']): Promise<void> {
    const now = performance.now()
    const isDue = now - readAt >= readEveryMs
    if (now - readWholeAt >= readWholeEveryMs) {
      readWholeAt = now
      queue.restartAll()
    }
    if (isDue) readAt = now
    queue.setSlots(slots())
    let cursors = queue.cursors(isDue ? undefined : appendedSlots)
    appendedSlots = new Set()
    while (cursors.length > 0 && !closed) {
      queue.readBegins()
      cursors = queue.cursors(queue.add(await readTodo(database, cursors), ownerOf))
    }
  }
  /** Callers at the same time share one read. */
  function readShared(ownerOf: LeaseTurns['ownerOf']): Promise<void> {
    reading ??= read(ownerOf).finally(() => {
      reading = undefined
    })
    return reading
  }
  const isReadDue = () => appendedSlots.size > 0 || performance.now() - readAt >= readEveryMs

  function take(limit: number, turns: LeaseTurns) {
    const taken: NonNullable<ReturnType<LeaseQueue['next']>>[] = []
    let [bytes, events] = [0, 0]
    while (taken.length < limit && bytes < leaseBytes && events < turns.events) {
      const next = queue.next()
      if (!next) break
      taken.push(next)
      bytes += next.bytes
      events += next.events
    }
    return taken
  }
  /** The taken records with their payloads. If they cannot be read they wait again. */
  async function withBodies(taken: ReturnType<typeof take>): Promise<LeasedRecord[]> {
    try {
      const read = await bodies.readMany(taken.map(({ position }) => position))
      const byPosition = new Map(read.map((body) => [body.position, body]))
      return taken.flatMap(({ position, mayBePlanned }) => {
        const body = byPosition.get(position)
        if (!body) return []
        return [mayBePlanned ? { ...body, mayBePlanned: true as const } : body]
      })
    } catch (error) {
      for (const record of taken) record.isLeased = false
      queue.restart([...new Set(taken.map(({ slot }) => slot))])
      readAt = Number.NEGATIVE_INFINITY
      throw error
    }
  }
  /** Resolves when records may have been appended, or the next read is due. */
  async function pause(signal: AbortSignal): Promise<void> {
    const waitMs = Math.max(1, readEveryMs - (performance.now() - readAt))
    const timer = setTimeout(changed.notify, waitMs)
    await changed.wait(signal)
    clearTimeout(timer)
  }
  return {
    async lease(limit, signal, turns = inOrder) {
      while (!signal.aborted) {
        if (closed) throw new Error('the stream is closed')
        if (isReadDue()) await readShared(turns.ownerOf)
        if (signal.aborted || closed) continue
        const leased = await withBodies(take(limit, turns))
        if (leased.length > 0) return leased
        if (!isReadDue()) await pause(signal)
      }
      return []
    },
    known: queue.known,
    settled: queue.settled,
    forget: queue.forget,
    appended(of) {
      for (const slot of of) appendedSlots.add(slot)
      changed.notify()
    },
    gain(gained) {
      queue.gain(gained)
      readAt = Number.NEGATIVE_INFINITY
      changed.notify()
    },
    close() {
      closed = true
      changed.notify()
    },
  }
}
