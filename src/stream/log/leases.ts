import { bodyQueue } from '#stream/bodyQueue.ts'
import { createSignal } from '#stream/signal.ts'
import { inOrder, type LeasedRecord, type LeaseTurns } from '#stream/stream.ts'

/** A waiting body. `events`: the number of its new events, for fair turns. */
export type WaitingBody = { position: number; tagId: string; events: number }

type LeasesDeps = {
  /** At most `limit` bodies after a position, in order, settled or not. */
  after(position: number, limit: number): WaitingBody[]
  isSettled(position: number): boolean
  /** Undefined if the body cannot be read. */
  read(position: number): Promise<LeasedRecord | undefined>
  settle(positions: readonly number[]): void
  lastAtStart: number
}

/** The maximum total size of the payloads of one lease. */
const leaseBytes = 8 * 1024 * 1024
/** The number of bodies that are queued at once, and the maximum length of the queue, 8 bytes each. */
const bodiesPerRead = 500
const maxQueued = 4_000_000

/** Reads bodies that were taken from the queue. */
function openReading({ read, settle, lastAtStart }: LeasesDeps) {
  /** Positions that were taken but not leased, because their bodies did not fit or the disk failed. */
  let left: number[] = []
  return {
    /** Takes at most `limit` of the positions that are left. */
    next: (limit: number) => left.splice(0, limit),
    async read(positions: number[]): Promise<LeasedRecord[]> {
      const leased: LeasedRecord[] = []
      let [bytes, done] = [0, 0]
      try {
        for (; done < positions.length && bytes < leaseBytes; done++) {
          const position = positions[done]!
          const body = await read(position)
          if (body) leased.push(position <= lastAtStart ? { ...body, mayBePlanned: true } : body)
          else settle([position]) // the body cannot be read: settle it, so that it blocks nothing
          bytes += body?.payload.length ?? 0
        }
      } catch (error) {
        done = 0
        throw error
      } finally {
        left = [...positions.slice(done), ...left]
      }
      return leased
    },
  }
}

/**
 * The leases of this process, and the callers that wait for bodies. Leases each body once, in order, starting behind
 * `from`.
 */
export function openLeases(from: number, deps: LeasesDeps) {
  const { after, isSettled } = deps
  const reading = openReading(deps)
  const queue = bodyQueue()
  const appended = createSignal()
  let lastAdded = from
  let closed = false

  /** Queues some of the next bodies. False if there are none, or the queue is full. */
  function add(ownerOf: LeaseTurns['ownerOf']): boolean {
    if (queue.size() >= maxQueued) return false
    const found = after(lastAdded, bodiesPerRead)
    for (const { position, tagId, events } of found) {
      lastAdded = position
      if (!isSettled(position)) queue.add(ownerOf(tagId), position, events)
    }
    return found.length > 0
  }
  function take(limit: number, turns: LeaseTurns): number[] {
    const positions: number[] = []
    let events = 0
    add(turns.ownerOf)
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
  return {
    /** Reports new bodies. */
    notify: appended.notify,
    async lease(limit: number, signal: AbortSignal, turns = inOrder): Promise<LeasedRecord[]> {
      while (!signal.aborted) {
        if (closed) throw new Error('the stream is closed')
        const left = reading.next(limit)
        const positions = left.length > 0 ? left : take(limit, turns)
        const leased = positions.length > 0 ? await reading.read(positions) : []
        if (leased.length > 0) return leased
        if (positions.length === 0) await appended.wait(signal)
      }
      return []
    },
    close(): void {
      closed = true
      appended.notify()
    },
  }
}
