import type { Stream } from './stream.ts'

/** A stream that several processes use. */
export type SharedStream = Stream & {
  /** Reports released slots: their next owner leases their records. */
  forgetSlots(slots: readonly number[]): void
  /** Reports gained slots: this process leases their records. */
  slotsGained(slots: readonly number[]): void
  /** Reports that another process has rewritten a record. */
  noteRewritten(): void
}
