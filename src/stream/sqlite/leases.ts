import type { DatabaseSync } from 'node:sqlite'
import { statements } from '#kit/sqlite.ts'
import type { Leased, LeaseTurns } from '#stream/stream.ts'
import { makeBell } from './bell.ts'
import { placesOf } from './bits.ts'
import { bodyQueue } from './bodyQueue.ts'
import { type Standing, standingOf } from './standing.ts'

/** How much the bodies of one lease may weigh. */
const leaseBytes = 8 * 1024 * 1024

/** Reads bodies by their position: any, or only those that have not been settled. */
export function bodiesOf(db: DatabaseSync) {
  const prepared = statements(db)
  const read =
    (sql: string) =>
    (position: number): Leased | undefined => {
      const row = prepared(sql).get(position) as { tag: string; payload: Uint8Array; fresh: Uint8Array } | undefined
      return row && { position, tagId: row.tag, payload: row.payload, fresh: placesOf(row.fresh) }
    }
  const any = 'SELECT tag, payload, fresh FROM body WHERE position = ?1'
  return { any: read(any), unsettled: read(`${any} AND NOT EXISTS (SELECT 1 FROM settled WHERE position = ?1)`) }
}

/** What has been given out here, and who waits for more. */
export type Leases = {
  standing(): Standing
  /** The stream has moved: wakes who waits when there is more to give out. */
  moved(to: Standing): void
  lease(limit: number, signal: AbortSignal, turns?: LeaseTurns): Promise<Leased[]>
  /** Refuses who waits and who comes. */
  close(): void
}

/** So many bodies are added to the queue with one lease, and so many it holds: those that come then wait for room in it. */
const addedAtOnce = 500
const mostQueued = 4_000_000

const unsettled = `
  SELECT position, tag, fresh FROM body WHERE position > ? AND position <= ?
    AND NOT EXISTS (SELECT 1 FROM settled WHERE settled.position = body.position)
  ORDER BY position LIMIT ?`

/** Adds what has come since to a queue, in order. */
function openQueue(db: DatabaseSync) {
  const queue = bodyQueue()
  const rowsAfter = db.prepare(unsettled)
  let addedTo = 0
  return {
    next: queue.next,
    /** False once all was added that there is, or the queue is full. */
    add({ cursor, last }: Standing, ownerOf: LeaseTurns['ownerOf']): boolean {
      addedTo = Math.max(addedTo, cursor)
      if (addedTo >= last || queue.size() >= mostQueued) return false
      const rows = rowsAfter.all(addedTo, last, addedAtOnce) as { position: number; tag: string; fresh: Uint8Array }[]
      for (const { position, tag, fresh } of rows) queue.add(ownerOf(tag), position, placesOf(fresh).length)
      addedTo = rows.length < addedAtOnce ? last : rows.at(-1)!.position
      return addedTo < last
    },
  }
}

const inOrder: LeaseTurns = { ownerOf: () => '', events: Number.POSITIVE_INFINITY }

/** Gives each body out once, beginning with the first that is not settled. */
export function openLeases(db: DatabaseSync): Leases {
  const bodies = bodiesOf(db)
  const queue = openQueue(db)
  const bell = makeBell()
  let standing = standingOf(db)
  let closed = false

  const take = (limit: number, turns: LeaseTurns) => {
    const taken: Leased[] = []
    let [bytes, events] = [0, 0]
    let hasMore = queue.add(standing, turns.ownerOf)
    while (taken.length < limit && bytes < leaseBytes && events < turns.events) {
      const next = queue.next()
      if (!next && !hasMore) break
      if (!next) {
        hasMore = queue.add(standing, turns.ownerOf)
        continue
      }
      const body = bodies.unsettled(next.position)
      if (!body) continue
      taken.push(body)
      bytes += body.payload.length
      events += next.events
    }
    return taken
  }
  return {
    standing: () => standing,
    moved(to) {
      const isMore = to.last > standing.last
      standing = to
      if (isMore) bell.ring()
    },
    async lease(limit, signal, turns = inOrder) {
      while (!signal.aborted) {
        if (closed) throw new Error('the stream is closed')
        const taken = take(limit, turns)
        if (taken.length > 0) return taken
        await bell.heard(signal)
      }
      return []
    },
    close() {
      closed = true
      bell.ring()
    },
  }
}
