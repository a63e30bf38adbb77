import { bodyQueue } from '#stream/bodyQueue.ts'
import { createSignal } from '#stream/signal.ts'
import type { LeasedRecord, LeaseTurns } from '#stream/stream.ts'

/** A body that waits: its new events are counted for the turns. */
export type WaitingBody = { position: number; tagId: string; events: number }

export type LeasesDeps = {
  /** At most `limit` bodies after a position, in order, settled or not. */
  after(position: number, limit: number): WaitingBody[]
  isSettled(position: number): boolean
  read(position: number): Promise<LeasedRecord | undefined>
  lastAtStart: number
}

/** The leases of this process, and the callers that wait for a body. */
export type Leases = {
  /** There are new bodies. */
  notify(): void
  lease(limit: number, signal: AbortSignal, turns?: LeaseTurns): Promise<LeasedRecord[]>
  close(): void
}

/** The maximum total size of the payloads of one lease. */
const leaseBytes = 8 * 1024 * 1024
/** Bodies that are queued at once, and in memory: the others are looked for when these are leased. */
const bodiesPerLook = 1_000
const maxQueued = 100_000

const inOrder: LeaseTurns = { ownerOf: () => '', events: Number.POSITIVE_INFINITY }

/** Leases each body once, starting behind `from`. */
export function openLeases(from: number, { after, isSettled, read, lastAtStart }: LeasesDeps): Leases {
  const queue = bodyQueue()
  const appended = createSignal()
  let lastAdded = from
  let closed = false

  /** Queues some of the next bodies. False if there are none, or enough are queued. */
  function add(ownerOf: LeaseTurns['ownerOf']): boolean {
    if (queue.size() >= maxQueued) return false
    const found = after(lastAdded, bodiesPerLook)
    for (const { position, tagId, events } of found) {
      lastAdded = position
      if (!isSettled(position)) queue.add(ownerOf(tagId), position, events)
    }
    return found.length > 0
  }
  function take(limit: number, turns: LeaseTurns): number[] {
    const positions: number[] = []
    let events = 0
    while (add(turns.ownerOf) && queue.size() < bodiesPerLook);
    while (positions.length < limit && events < turns.events) {
      const next = queue.next()
      if (next) {
        if (isSettled(next.position)) continue
        positions.push(next.position)
        events += next.events
      } else if (!add(turns.ownerOf)) break
    }
    return positions
  }
  /** Leased bodies that did not fit in the lease before. */
  const left: number[] = []
  async function readSome(positions: number[]): Promise<LeasedRecord[]> {
    const leased: LeasedRecord[] = []
    let bytes = 0
    for (const [n, position] of positions.entries()) {
      const body = await read(position)
      if (!body) continue
      leased.push(position <= lastAtStart ? { ...body, mayBePlanned: true } : body)
      bytes += body.payload.length
      if (bytes < leaseBytes) continue
      left.push(...positions.slice(n + 1))
      break
    }
    return leased
  }
  return {
    notify: appended.notify,
    async lease(limit, signal, turns = inOrder) {
      while (!signal.aborted) {
        if (closed) throw new Error('the stream is closed')
        const positions = left.length > 0 ? left.splice(0, limit) : take(limit, turns)
        const leased = positions.length > 0 ? await readSome(positions) : []
        if (leased.length > 0) return leased
        if (positions.length === 0) await appended.wait(signal)
      }
      return []
    },
    close() {
      closed = true
      appended.notify()
    },
  }
}
