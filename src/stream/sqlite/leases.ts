import type { DatabaseSync } from 'node:sqlite'
import { statements } from '#kit/sqlite.ts'
import type { Leased } from '#stream/stream.ts'
import { makeBell } from './bell.ts'
import { placesOf } from './bits.ts'
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
  lease(limit: number, signal: AbortSignal): Promise<Leased[]>
  /** Refuses who waits and who comes. */
  close(): void
}

/** Gives each body out once, beginning with the first that is not settled. */
export function openLeases(db: DatabaseSync): Leases {
  const bodies = bodiesOf(db)
  const bell = makeBell()
  let standing = standingOf(db)
  let next = standing.cursor + 1
  let closed = false

  const take = (limit: number) => {
    const taken: Leased[] = []
    let bytes = 0
    for (next = Math.max(next, standing.cursor + 1); next <= standing.last; next++) {
      if (taken.length >= limit || bytes >= leaseBytes) break
      const body = bodies.unsettled(next)
      if (!body) continue
      taken.push(body)
      bytes += body.payload.length
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
    async lease(limit, signal) {
      while (!signal.aborted) {
        if (closed) throw new Error('the stream is closed')
        const taken = take(limit)
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
