import { bodyQueue } from '#stream/bodyQueue.ts'
import type { LeaseTurns } from '#stream/stream.ts'
import { advance, type ReadResult, type SlotCursor, type SlotState, slotCursors, type TodoRow } from './slotCursors.ts'

/** A record that was read. `mayBePlanned`: it was there when its slot was gained. */
export type KnownRecord = TodoRow & { mayBePlanned: boolean; isLeased: boolean }

/** The records of the owned slots that were read and are not settled. Pure: what was read is handed in. */
export type LeaseQueue = {
  /** Sets the owned slots: those that are new are gained, and those that are missing are forgotten. */
  setSlots(slots: readonly number[]): void
  /** `gainedAt`: a record of an earlier transaction was there before; by default the first read tells. */
  gain(slots: readonly number[], gainedAt?: number): void
  /** Forgets all records of these slots, leased or not: another owner may lease them. */
  forget(slots: readonly number[]): void
  /** These records were leased, and are to be leased again, in their old order. */
  unlease(records: readonly KnownRecord[]): void
  /** Reads all slots from their start again. */
  restart(): void
  /** Where to go on reading in these slots, by default in all. */
  cursors(slots?: Iterable<number>): SlotCursor[]
  /** Adds what was read and is not known yet. Returns the slots that have more. */
  add(result: ReadResult, ownerOf: LeaseTurns['ownerOf']): number[]
  /** Leases the next record. */
  next(): KnownRecord | undefined
  known(position: number): TodoRow | undefined
  /** These records are settled. A read that has begun may still return them, until `readBegins`. */
  settled(positions: readonly number[]): void
  readBegins(): void
}

/** The records by position, and a queue of those that wait. */
function knownRecords() {
  const records = new Map<number, KnownRecord>()
  const queue = bodyQueue()
  /** The queue has small numbers instead of positions. A ticket of a record that is gone or leased is skipped. */
  const tickets = new Map<number, number>()
  let lastTicket = 0
  return {
    records,
    enqueue(record: KnownRecord, owner: string) {
      records.set(record.position, record)
      tickets.set(++lastTicket, record.position)
      queue.add(owner, lastTicket, record.events)
    },
    dequeue(): KnownRecord | undefined {
      for (let next = queue.next(); next; next = queue.next()) {
        const record = records.get(tickets.get(next.position)!)
        tickets.delete(next.position)
        if (record && !record.isLeased) return record
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
  // A number that is too high is of another server, from which the records were copied.
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
    unlease(leased) {
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
