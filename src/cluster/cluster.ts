import type { Ownership } from '#postgres/ownership.ts'

/** What a process does. `all`: everything. */
export type ProcessRole = 'all' | 'control' | 'edge' | 'worker'

/** The processes that run now. */
export type ClusterMembers = {
  /** The live processes that do the work of a role, this one included; at least 1. */
  count(role: Exclude<ProcessRole, 'all'>): number
  /** The time since the database last confirmed the lease of this process (ms). */
  silentMs(): number
}

/** What a worker may work on. It belongs to one membership: after a lost lease the next worker gets another one. */
export type SlotOwnership = Ownership & {
  /** The number of the event shard that has the slots. Absent: the first. */
  shard?: number
  /** The slot of the tag is one of this worker. `slot`: of what lies in another one, because the tag is spread. */
  owns(tagId: string, slot?: number): boolean
  /** False 3.2 s after the last renewal of the lease (monotonic): no call may be started. */
  mayStart(): boolean
  /** A write was refused with OwnershipLost. */
  reportLost(): void
}

/** A worker that follows the slots of its process. */
export type SlotWorker = {
  /**
   * Slots were taken. They are none of `ownership.slots()` until this resolves: the worker makes the deliveries due that
   * the earlier owner left in flight. It retries until that is done, and does not reject.
   */
  gained(slots: readonly number[]): Promise<void>
  /** `ownership.slots()` has these slots now. */
  changed(slots: readonly number[]): void
  /** Slots go to another worker, and are none of `ownership.slots()` any more. Resolves when nothing of them is written. */
  release(slots: readonly number[]): Promise<void>
  /** The lease has ended, and others may own the slots: the worker writes nothing more. */
  lost(): void
  /** Ends all work, and resolves when it is written. */
  stop(): Promise<void>
}

export type StartSlotWorker = (ownership: SlotOwnership) => Promise<SlotWorker>

/** Work that one process at a time does. */
export type WorkLeases = {
  /** Takes or keeps a lease; false while another process holds it. Cheap: it is renewed in the background. */
  holds(name: string): Promise<boolean>
  /** Waits for a lease, does the work, and releases it. */
  exclusive<Result>(name: string, work: () => Promise<Result>): Promise<Result>
}

/**
 * A row of the change feed. `kind` and `id`: those that
 * `postgres/appendChanges.ts` lists.
 */
export type ClusterChange = { seq: number; kind: string; id: string }

/** No row: a process that has read nothing of the store yet is to read all of it. */
export const everythingChanged: ClusterChange = { seq: 0, kind: 'everything', id: '' }

/** What every process must apply. */
export type ChangeFeed = {
  /** Applies each change of other processes and of this one, in order, from the opening of the cluster on. */
  follow(apply: (change: ClusterChange) => Promise<void>): void
  /** Resolves when all live processes have applied the changes up to this one, or after 3 s. */
  acknowledged(seq: number): Promise<void>
}

/** The processes that work on the data of one environment. */
export type Cluster = {
  members: ClusterMembers
  leases: WorkLeases
  changes: ChangeFeed
  /** Starts a worker on the slots that this process owns, and another one whenever its lease is lost. */
  startWorker(start: StartSlotWorker): Promise<{ stop(): Promise<void> }>
  /** Releases what this process holds. */
  close(): Promise<void>
}
