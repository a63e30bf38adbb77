import { bodyQueue } from '#stream/bodyQueue.ts'
import type { LeaseTurns } from '#stream/stream.ts'
import { advance, type ReadResult, type SlotCursor, type SlotState, slotCursors, type TodoRow } from './slotCursors.ts'

/** A record that was read. `mayBePlanned`: it existed when its slot was gained. */
export type KnownRecord = TodoRow & { mayBePlanned: boolean; isLeased: boolean }

/**
 * The records of the owned slots that were read and are not settled. Has no access to the database: the caller passes
 * in the results of reads.
 */
export type LeaseQueue = {
  /** Sets the owned slots. New slots are gained, and missing ones are forgotten. */
  setSlots(slots: readonly number[]): void
  /** `gainedAt`: records of earlier transactions existed before; by default, the first read determines it. */
  gain(slots: readonly number[], gainedAt?: number): void
  /** Forgets all records of these slots, leased or not, because another owner may lease them. */
  forget(slots: readonly number[]): void
  /** Makes leased records available again, in their old order. */
  release(records: readonly KnownRecord[]): void
  /** Reads all slots from their start again. */
  restart(): void
  /** The cursors from which to continue reading these slots, by default all. */
  cursors(slots?: Iterable<number>): SlotCursor[]
  /** Adds records that are not known yet. Returns the slots that have more. */
  add(result: ReadResult, ownerOf: LeaseTurns['ownerOf']): number[]
  /** Leases the next record. */
  next(): KnownRecord | undefined
  known(position: number): TodoRow | undefined
  /** Marks records as settled. A running read may still return them, until `readBegins`. */
  settled(positions: readonly number[]): void
  readBegins(): void
}

/** The records by position, and a queue of the waiting ones. */
function knownRecords() {
  const records = new Map<number, KnownRecord>()
  const queue = bodyQueue()
  /** The queue has small numbers instead of positions. The number of a dropped or leased record is skipped. */
  const tickets = new Map<number, KnownRecord>()
  let lastTicket = 0
  return {
    records,
    enqueue(record: KnownRecord, owner: string) {
      records.set(record.position, record)
      tickets.set(++lastTicket, record)
      queue.add(owner, lastTicket, record.events)
    },
    dequeue(): KnownRecord | undefined {
      for (let next = queue.next(); next; next = queue.next()) {
        const record = tickets.get(next.position)!
        tickets.delete(next.position)
        if (records.get(record.position) === record && !record.isLeased) return record
      }
      return undefined
    },
    drop(slots: readonly number[], isDropped: (record: KnownRecord) => boolean) {
      const of = new Set(slots)
      for (const [position, record] of records) if (of.has(record.slot) && isDropped(record)) records.delete(position)
    },
  }
}

const newRecord = (row: TodoRow, { gainedAt }: SlotState, xmax: number): KnownRecord => ({
  ...row,
  // A number that is too high comes from another server, from which the records were copied.
  mayBePlanned: row.xid < (gainedAt ?? xmax) || row.xid >= xmax,
  isLeased: false,
})

export function leaseQueue(): LeaseQueue {
  const cursors = slotCursors()
  const { records, enqueue, dequeue, drop } = knownRecords()
  let settledSinceRead: number[] = []

  function forget(slots: readonly number[]): void {
    const lost = cursors.forget(slots)
    if (lost.length > 0) drop(lost, () => true)
  }
  return {
    setSlots(owned) {
      const kept = new Set(owned)
      forget(cursors.slots().filter((slot) => !kept.has(slot)))
      cursors.gain(owned)
    },
    gain: cursors.gain,
    forget,
    release(leased) {
      for (const record of leased) record.isLeased = false
      const slots = [...new Set(leased.map(({ slot }) => slot))]
      drop(slots, ({ isLeased }) => !isLeased)
      for (const slot of slots) Object.assign(cursors.get(slot) ?? {}, { queued: 0 })
      cursors.restart(slots)
    },
    restart: () => cursors.restart(cursors.slots()),
    cursors: (slots = cursors.slots()) => cursors.toRead(slots),
    add(result, ownerOf) {
      const bySlot = Map.groupBy(result.rows, ({ slot }) => slot)
      const read = cursors.readSlots(result)
      const full = [...read].flatMap(([slot, state]) => (advance(state, bySlot.get(slot) ?? [], result) ? slot : []))
      for (const row of result.rows.toSorted((one, other) => one.position - other.position)) {
        const state = read.get(row.slot)
        if (!state || records.has(row.position)) continue
        enqueue(newRecord(row, state, result.xmax), ownerOf(row.tag))
        state.queued++
      }
      for (const state of read.values()) state.gainedAt ??= result.xmax
      return full
    },
    next() {
      const record = dequeue()
      if (!record) return undefined
      record.isLeased = true
      const state = cursors.get(record.slot)
      if (state) state.queued--
      return record
    },
    known: (position) => records.get(position),
    settled: (positions) => {
      for (const each of positions) settledSinceRead.push(each)
    },
    readBegins() {
      for (const position of settledSinceRead) records.delete(position)
      settledSinceRead = []
    },
  }
}
