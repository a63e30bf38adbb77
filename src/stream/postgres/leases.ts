import { slotOf } from '#cluster/slotOf.ts'
import type { Database } from '#postgres/database.ts'
import type { Listener } from '#postgres/listen.ts'
import { inOrder, type LeasedRecord, type LeaseTurns } from '#stream/stream.ts'
import { gatherNotices, todoChannel } from './appendNotices.ts'
import type { Bodies } from './bodies.ts'
import { type KnownRecord, type LeaseQueue, leaseQueue } from './leaseQueue.ts'
import { type SlotReader, slotReader } from './slotReader.ts'

/** The maximum total size of the payloads of one lease. */
const leaseBytes = 8 * 1024 * 1024

/** The leases of this process, and the callers that wait for records. */
export type SlotLeases = Pick<LeaseQueue, 'known' | 'settled' | 'forget'> &
  Pick<SlotReader, 'appended'> & {
    lease(limit: number, signal: AbortSignal, turns?: LeaseTurns): Promise<LeasedRecord[]>
    gain(slots: readonly number[]): void
    /** Rejects waiting and later callers. */
    close(): Promise<void>
  }

type LeaseDeps = {
  database: Pick<Database, 'sql' | 'listen'>
  bodies: Pick<Bodies, 'readMany'>
  /** The slots that this process owns at the moment. */
  slots(): readonly number[]
  /** The first transaction that had not begun when the stream was opened. */
  openedAt: number
  /** A clock that is never set (ms). */
  monotonicMs(): number
}

/** Takes the next records from the queue. */
function take(queue: LeaseQueue, limit: number, turns: LeaseTurns): KnownRecord[] {
  const taken: KnownRecord[] = []
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

function toLeased(body: LeasedRecord, { slot, tag, mayBePlanned }: KnownRecord): LeasedRecord {
  const leased: LeasedRecord = mayBePlanned ? { ...body, mayBePlanned: true } : body
  return slot === slotOf(tag) ? leased : { ...leased, slot }
}

/**
 * Leases each record of the owned slots once. Reads the database only while a caller waits for a record, and listens to
 * notices from the first lease on.
 */
export function openLeases({ database, bodies, slots, openedAt, monotonicMs }: LeaseDeps): SlotLeases {
  const queue = leaseQueue()
  queue.gain(slots(), openedAt)
  const reader = slotReader(queue, { database, slots, monotonicMs })
  let closed = false
  let listener: Listener | undefined
  const notices = gatherNotices(reader.appended)
  const listen = () =>
    database.listen(todoChannel, {
      notified: notices.notified,
      connected: reader.readSoon,
    })

  /** Reads the payloads of taken records, except of slots lost meanwhile. After an error, the records wait again. */
  async function withBodies(taken: readonly KnownRecord[]): Promise<LeasedRecord[]> {
    try {
      const read = await bodies.readMany(taken.map(({ position }) => position))
      const byPosition = new Map(read.map((body) => [body.position, body]))
      return taken.flatMap((record) => {
        const body = byPosition.get(record.position)
        if (!body || queue.known(record.position) !== record) return []
        return [toLeased(body, record)]
      })
    } catch (error) {
      queue.release(taken)
      reader.readSoon()
      throw error
    }
  }
  return {
    async lease(limit, signal, turns = inOrder) {
      while (!signal.aborted) {
        if (closed) throw new Error('the stream is closed')
        listener ??= listen()
        if (reader.isDue()) await reader.read(turns.ownerOf)
        if (signal.aborted || closed) continue
        const leased = await withBodies(take(queue, limit, turns))
        if (leased.length > 0) return leased
        if (!reader.isDue()) await reader.wait(signal)
      }
      return []
    },
    known: queue.known,
    settled: queue.settled,
    forget: queue.forget,
    appended(appended) {
      if (listener) reader.appended(appended) // before that, not needed: the first lease reads all slots
    },
    gain(gained) {
      queue.gain(gained)
      reader.readSoon()
    },
    async close() {
      closed = true
      reader.close()
      await listener?.close()
      notices.close()
    },
  }
}
