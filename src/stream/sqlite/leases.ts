import type { DatabaseSync } from 'node:sqlite'
import { preparedStatements } from '#kit/sqlite.ts'
import { bodyQueue } from '#stream/bodyQueue.ts'
import { createSignal } from '#stream/signal.ts'
import type { LeasedRecord, LeaseTurns } from '#stream/stream.ts'
import { setIndexes } from './bitset.ts'
import { readStreamState, type StreamState } from './streamState.ts'

/** The maximum total size of the payloads of one lease. */
const leaseBytes = 8 * 1024 * 1024

/** Reads a body by its position: `any`, or only if it is `unsettled`. */
export function bodyReaders(db: DatabaseSync) {
  const prepared = preparedStatements(db)
  const read =
    (sql: string) =>
    (position: number): LeasedRecord | undefined => {
      const row = prepared(sql).get(position) as { tag: string; payload: Uint8Array; fresh: Uint8Array } | undefined
      return row && { position, tagId: row.tag, payload: row.payload, newIndexes: setIndexes(row.fresh) }
    }
  const any = 'SELECT tag, payload, fresh FROM body WHERE position = ?1'
  return { any: read(any), unsettled: read(`${any} AND NOT EXISTS (SELECT 1 FROM settled WHERE position = ?1)`) }
}

/** The leases of this process, and the callers that wait for a body. */
export type Leases = {
  state(): StreamState
  /** Updates the state of the stream, and wakes waiting callers if there are new bodies. */
  update(to: StreamState): void
  lease(limit: number, signal: AbortSignal, turns?: LeaseTurns): Promise<LeasedRecord[]>
  /** Rejects waiting and later callers. */
  close(): void
}

/**
 * Rows that are added to the queue at once, and its maximum length. Further bodies stay in the database until there is
 * room.
 */
const rowsPerAdd = 500
const maxQueued = 4_000_000

const unsettled = `
  SELECT position, tag, fresh FROM body WHERE position > ? AND position <= ?
    AND NOT EXISTS (SELECT 1 FROM settled WHERE settled.position = body.position)
  ORDER BY position LIMIT ?`

/** A queue that is filled with unsettled bodies from the database, in order. */
function openQueue(db: DatabaseSync) {
  const queue = bodyQueue()
  const rowsAfter = db.prepare(unsettled)
  let lastAdded = 0
  return {
    next: queue.next,
    /** Adds the next rows. False if there are no more, or the queue is full. */
    add({ cursor, last }: StreamState, ownerOf: LeaseTurns['ownerOf']): boolean {
      lastAdded = Math.max(lastAdded, cursor)
      if (lastAdded >= last || queue.size() >= maxQueued) return false
      const rows = rowsAfter.all(lastAdded, last, rowsPerAdd) as { position: number; tag: string; fresh: Uint8Array }[]
      for (const { position, tag, fresh } of rows) queue.add(ownerOf(tag), position, setIndexes(fresh).length)
      lastAdded = rows.length < rowsPerAdd ? last : rows.at(-1)!.position
      return lastAdded < last
    },
  }
}

const inOrder: LeaseTurns = { ownerOf: () => '', events: Number.POSITIVE_INFINITY }

/** Leases each body once, starting with the first that is not settled. */
export function openLeases(db: DatabaseSync): Leases {
  const bodies = bodyReaders(db)
  const queue = openQueue(db)
  const appended = createSignal()
  let state = readStreamState(db)
  const lastAtStart = state.last
  let closed = false

  const take = (limit: number, turns: LeaseTurns) => {
    const leased: LeasedRecord[] = []
    let [bytes, events] = [0, 0]
    let hasMore = queue.add(state, turns.ownerOf)
    while (leased.length < limit && bytes < leaseBytes && events < turns.events) {
      const next = queue.next()
      if (!next && !hasMore) break
      if (!next) {
        hasMore = queue.add(state, turns.ownerOf)
        continue
      }
      const body = bodies.unsettled(next.position)
      if (!body) continue
      leased.push(body.position <= lastAtStart ? { ...body, mayBePlanned: true } : body)
      bytes += body.payload.length
      events += next.events
    }
    return leased
  }
  return {
    state: () => state,
    update(to) {
      const hasNewBodies = to.last > state.last
      state = to
      if (hasNewBodies) appended.notify()
    },
    async lease(limit, signal, turns = inOrder) {
      while (!signal.aborted) {
        if (closed) throw new Error('the stream is closed')
        const leased = take(limit, turns)
        if (leased.length > 0) return leased
        await appended.wait(signal)
      }
      return []
    },
    close() {
      closed = true
      appended.notify()
    },
  }
}
