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

/**
 * An owned slot. `gainedAt`: a record of an earlier transaction was there when the slot was gained; unknown until the
 * first read. `queued`: its records that wait in memory for a lease.
 */
export type SlotState = { turn: number; xid: number; position: number; gainedAt: number | undefined; queued: number }

/** While more records of a slot wait, no more are read, so that a backlog takes little memory. */
const maxQueued = 1_000

/** The owned slots, and up to where each was read. */
type SlotCursors = {
  get(slot: number): SlotState | undefined
  slots(): number[]
  gain(slots: readonly number[], gainedAt?: number): void
  /** The slots of these that were owned. */
  forget(slots: readonly number[]): number[]
  restart(slots: readonly number[]): void
  /** Where to go on reading in these slots. */
  toRead(slots: Iterable<number>): SlotCursor[]
  /** The slots that a read has read, without those that were gained or restarted since it began. */
  readSlots(result: ReadResult): Map<number, SlotState>
}

export function slotCursors(): SlotCursors {
  const states = new Map<number, SlotState>()
  let lastTurn = 0
  return {
    get: (slot) => states.get(slot),
    slots: () => [...states.keys()],
    gain(slots, gainedAt) {
      for (const slot of slots)
        if (!states.has(slot)) states.set(slot, { turn: ++lastTurn, xid: 0, position: 0, gainedAt, queued: 0 })
    },
    forget: (slots) => slots.filter((slot) => states.delete(slot)),
    restart(slots) {
      for (const slot of slots) {
        const state = states.get(slot)
        if (state) Object.assign(state, { turn: ++lastTurn, xid: 0, position: 0 })
      }
    },
    toRead(slots) {
      const cursors: SlotCursor[] = []
      for (const slot of slots) {
        const state = states.get(slot)
        if (state && state.queued < maxQueued)
          cursors.push({ slot, turn: state.turn, xid: state.xid, position: state.position })
      }
      return cursors
    },
    readSlots({ cursors }) {
      const read = new Map<number, SlotState>()
      for (const { slot, turn } of cursors) {
        const state = states.get(slot)
        if (state?.turn === turn) read.set(slot, state)
      }
      return read
    },
  }
}

/**
 * Moves the cursor of a slot behind the rows that were read of it, but not beyond the transactions that have ended: one
 * that has not may store a record with a lower position or transaction number. True if the slot has more.
 */
export function advance(state: SlotState, rows: readonly TodoRow[], { xmin, limit }: ReadResult): boolean {
  const last = rows.length >= limit ? rows.at(-1) : undefined
  const hasMore = last !== undefined && last.xid < xmin
  Object.assign(state, hasMore ? { xid: last.xid, position: last.position } : { xid: xmin, position: -1 })
  return hasMore
}
