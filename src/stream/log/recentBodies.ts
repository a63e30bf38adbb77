import type { LogPlace } from '#log/log.ts'
import type { BodyRecord } from './bodyRecords.ts'

/** A body that is newer than the index. `payload` is dropped if too many payloads are in memory. */
export type RecentBody = Omit<BodyRecord, 'payload' | 'movedFrom' | 'keys'> & {
  place: LogPlace
  payload?: Uint8Array | undefined
}

/** The bodies behind the last checkpoint, in order of position. */
export type RecentBodies = ReturnType<typeof openRecentBodies>

const maxPayloadBytes = 8 * 1024 * 1024

export function openRecentBodies() {
  const bodies = new Map<number, RecentBody>()
  let bytes = 0
  let first = Number.POSITIVE_INFINITY
  let last = 0
  const release = (body: RecentBody | undefined) => {
    bytes -= body?.payload?.length ?? 0
    if (body) body.payload = undefined
  }
  /** A copy, because a payload may be a part of a buffer that is many times larger. Undefined if too many are in memory. */
  const copyToKeep = (payload: Uint8Array) =>
    bytes + payload.length > maxPayloadBytes ? undefined : new Uint8Array(payload)
  return {
    add(body: RecentBody): void {
      release(bodies.get(body.position))
      if (body.payload) body.payload = copyToKeep(body.payload)
      bytes += body.payload?.length ?? 0
      bodies.set(body.position, body)
      first = Math.min(first, body.position)
      last = Math.max(last, body.position)
    },
    get: (position: number) => bodies.get(position),
    /** At most `limit` bodies after a position. */
    after(position: number, limit: number): RecentBody[] {
      const found: RecentBody[] = []
      for (let next = Math.max(position + 1, first); next <= last && found.length < limit; next++) {
        const body = bodies.get(next)
        if (body) found.push(body)
      }
      return found
    },
    all: () => [...bodies.values()],
    /** Drops the payload, which is not needed soon. */
    release: (position: number) => release(bodies.get(position)),
    /** Drops bodies that the index now has, unless they have changed since. */
    drop(indexed: readonly RecentBody[]): void {
      for (const body of indexed) {
        if (bodies.get(body.position) !== body) continue
        release(body)
        bodies.delete(body.position)
      }
      if (bodies.size === 0) first = Number.POSITIVE_INFINITY
      else while (!bodies.has(first)) first++
    },
  }
}
