/** A record that is not settled. `xid`: the transaction that stored it. */
export type TodoRow = { slot: number; xid: number; position: number; tag: string; events: number; bytes: number }

/**
 * The position in a slot up to which records were read: the next read begins after this transaction and position.
 * `turn` changes when the slot is gained or restarted, so that an older read does not move the new cursor.
 */
export type SlotCursor = { slot: number; turn: number; xid: number; position: number }

/**
 * The result of a read. All transactions before `xmin` have ended. `xmax`: the first transaction that had not begun.
 * `limit`: the maximum number of rows read for each slot.
 */
export type ReadResult = {
  cursors: readonly SlotCursor[]
  rows: readonly TodoRow[]
  xmin: number
  xmax: number
  limit: number
}

/**
 * An owned slot. `gainedAt`: records of earlier transactions existed when the slot was gained; unknown until the first
 * read. `queued`: the number of its records that wait in memory for a lease.
 */
export type SlotState = { turn: number; xid: number; position: number; gainedAt: number | undefined; queued: number }

/** While more records of a slot wait than this, no further ones are read, so that a backlog takes little memory. */
const maxQueued = 1_000

/** The owned slots and their cursors. */
export function slotCursors() {
  const states = new Map<number, SlotState>()
  let lastTurn = 0
  return {
    get: (slot: number) => states.get(slot),
    slots: () => [...states.keys()],
    gain(slots: readonly number[], gainedAt?: number): void {
      for (const slot of slots)
        if (!states.has(slot)) states.set(slot, { turn: ++lastTurn, xid: 0, position: 0, gainedAt, queued: 0 })
    },
    /** Forgets these slots, and returns those that were owned. */
    forget: (slots: readonly number[]) => slots.filter((slot) => states.delete(slot)),
    restart(slots: readonly number[]): void {
      for (const slot of slots) {
        const state = states.get(slot)
        if (state) Object.assign(state, { turn: ++lastTurn, xid: 0, position: 0 })
      }
    },
    /** The cursors from which to continue reading these slots. */
    toRead(slots: Iterable<number>): SlotCursor[] {
      const cursors: SlotCursor[] = []
      for (const slot of slots) {
        const state = states.get(slot)
        if (state && state.queued < maxQueued)
          cursors.push({ slot, turn: state.turn, xid: state.xid, position: state.position })
      }
      return cursors
    },
    /** The slots of a read, except those that were gained or restarted since it began. */
    readSlots({ cursors }: ReadResult): Map<number, SlotState> {
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
 * Moves the cursor of a slot behind the rows that were read, but not beyond ended transactions: a running transaction
 * may still store a record with a lower position or transaction number. True if the slot has more.
 */
export function advance(state: SlotState, rows: readonly TodoRow[], { xmin, limit }: ReadResult): boolean {
  const last = rows.length >= limit ? rows.at(-1) : undefined
  const hasMore = last !== undefined && last.xid < xmin
  Object.assign(state, hasMore ? { xid: last.xid, position: last.position } : { xid: xmin, position: -1 })
  return hasMore
}
