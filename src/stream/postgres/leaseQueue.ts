import { bodyQueue } from '#stream/bodyQueue.ts'
import type { LeaseTurns } from '#stream/stream.ts'

/** A record that is not settled. `xid`: the transaction that stored it. */
export type TodoRow = { slot: number; xid: number; position: number; tag: string; events: number; bytes: number }

/**
 * Up to where the records of a slot were read: those after this transaction and position are read next. `turn` changes
 * when the slot is gained or restarted: a read that began before it does not move the new cursor.
 */
export type SlotCursor = { slot: number; turn: number; xid: number; position: number }

/**
 * What a read has seen. All transactions before `xmin` have ended. `xmax`: the first transaction that had not begun.
 * `limit`: how many rows it read of each slot at most.
 */
export type ReadResult = {
  cursors: readonly SlotCursor[]
  rows: readonly TodoRow[]
  xmin: number
  xmax: number
  limit: number
}

/** A record that was read. `mayBePlanned`: it was there when its slot was gained. */
type KnownRecord = TodoRow & { mayBePlanned: boolean; isLeased: boolean }
type SlotState = { turn: number; xid: number; position: number; gainedAt: number | undefined; queued: number }

/** Records of a slot that wait in memory for a lease: beyond that no more are read, so that a backlog takes little. */
const maxQueued = 1_000

/** The records of the owned slots that were read and are not settled. Pure: time, database and slots are handed in. */
export type LeaseQueue = {
  /** Sets the owned slots: those that are new are gained, and those that are missing are forgotten. */
  setSlots(slots: readonly number[]): void
  /** `gainedAt`: a record of an earlier transaction was there before; by default that of the first read decides. */
  gain(slots: readonly number[], gainedAt?: number): void
  /** Forgets all records of these slots, leased or not: another owner may lease them. */
  forget(slots: readonly number[]): void
  /** Reads these slots again from their start, because records that wait were lost. */
  restart(slots: readonly number[]): void
  restartAll(): void
  /** Where to go on reading in these slots, by default in all. */
  cursors(slots?: Iterable<number>): SlotCursor[]
  /** Adds what was read and is not known yet. Returns the slots that have more. */
  add(result: ReadResult, ownerOf: LeaseTurns['ownerOf']): number[]
  /** Leases the next record. */
  next(): KnownRecord | undefined
  known(position: number): TodoRow | undefined
  /** These records are settled. A read that has begun may still return them until `readBegins`. */
  settled(positions: readonly number[]): void
  readBegins(): void
}

export function leaseQueue(): LeaseQueue {
  const slots = new Map<number, SlotState>()
  const records = new Map<number, KnownRecord>()
  const queue = bodyQueue()
  /** The queue has small numbers instead of positions. */
  const tickets = new Map<number, number>()
  let lastTicket = 0
  let lastTurn = 0
  let settledSinceRead: number[] = []

  const dropRecords = (of: ReadonlySet<number>, isDropped: (record: KnownRecord) => boolean) => {
    for (const [position, record] of records) if (of.has(record.slot) && isDropped(record)) records.delete(position)
  }
  const restart = (state: SlotState) => Object.assign(state, { turn: ++lastTurn, xid: 0, position: 0 })

  function gain(gained: readonly number[], gainedAt?: number): void {
    for (const slot of gained)
      if (!slots.has(slot)) slots.set(slot, { turn: ++lastTurn, xid: 0, position: 0, gainedAt, queued: 0 })
  }
  function forget(lost: readonly number[]): void {
    const of = new Set(lost.filter((slot) => slots.delete(slot)))
    if (of.size > 0) dropRecords(of, () => true)
  }
  /** Moves the cursor of a slot behind its rows, but not beyond the transactions that have ended. */
  function advance(state: SlotState, rows: readonly TodoRow[], { xmin, limit }: ReadResult): boolean {
    const last = rows.length >= limit ? rows.at(-1) : undefined
    const isWithin = last !== undefined && last.xid < xmin
    Object.assign(state, isWithin ? { xid: last.xid, position: last.position } : { xid: xmin, position: -1 })
    return isWithin
  }
  function enqueue(row: TodoRow, state: SlotState, xmax: number, owner: string): void {
    const mayBePlanned = row.xid < (state.gainedAt ?? xmax) || row.xid >= xmax
    records.set(row.position, { ...row, mayBePlanned, isLeased: false })
    tickets.set(++lastTicket, row.position)
    queue.add(owner, lastTicket, row.events)
    state.queued++
  }
  return {
    setSlots(owned) {
      const kept = new Set(owned)
      forget([...slots.keys()].filter((slot) => !kept.has(slot)))
      gain(owned)
    },
    gain,
    forget,
    restart(of) {
      dropRecords(new Set(of), ({ isLeased }) => !isLeased)
      for (const slot of of) {
        const state = slots.get(slot)
        if (state) restart(state).queued = 0
      }
    },
    restartAll() {
      for (const state of slots.values()) restart(state)
    },
    cursors(of = slots.keys()) {
      const cursors: SlotCursor[] = []
      for (const slot of of) {
        const state = slots.get(slot)
        if (state && state.queued < maxQueued)
          cursors.push({ slot, turn: state.turn, xid: state.xid, position: state.position })
      }
      return cursors
    },
    add(result, ownerOf) {
      const bySlot = Map.groupBy(result.rows, ({ slot }) => slot)
      const read = new Map<number, SlotState>()
      for (const { slot, turn } of result.cursors) {
        const state = slots.get(slot)
        if (state?.turn === turn) read.set(slot, state)
      }
      const full = [...read].flatMap(([slot, state]) => (advance(state, bySlot.get(slot) ?? [], result) ? slot : []))
      for (const row of result.rows.toSorted((one, other) => one.position - other.position)) {
        const state = read.get(row.slot)
        if (state && !records.has(row.position)) enqueue(row, state, result.xmax, ownerOf(row.tag))
      }
      for (const state of read.values()) state.gainedAt ??= result.xmax
      return full
    },
    next() {
      for (let next = queue.next(); next; next = queue.next()) {
        const record = records.get(tickets.get(next.position)!)
        tickets.delete(next.position)
        if (!record || record.isLeased) continue
        record.isLeased = true
        const state = slots.get(record.slot)
        if (state) state.queued--
        return record
      }
      return undefined
    },
    known: (position) => records.get(position),
    settled(positions) {
      settledSinceRead.push(...positions)
    },
    readBegins() {
      for (const position of settledSinceRead) records.delete(position)
      settledSinceRead = []
    },
  }
}
