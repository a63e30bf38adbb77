import type { Stream } from './stream.ts'

/** A stream that other processes use too. */
export type SharedStream = Stream & {
  /** Slots were released: their next owner leases their records. */
  forgetSlots(slots: readonly number[]): void
  /** Slots were gained: their records are leased here. */
  slotsGained(slots: readonly number[]): void
  /** Another process has rewritten a record. */
  noteRewritten(): void
}
