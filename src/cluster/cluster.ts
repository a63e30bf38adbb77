import type { Ownership } from '#postgres/ownership.ts'

/** What a process does. `all`: everything. */
export type ProcessRole = 'all' | 'control' | 'edge' | 'worker'

/** The running processes. */
export type ClusterMembers = {
  /** The number of live processes that do the work of a role, including this one; at least 1. */
  count(role: Exclude<ProcessRole, 'all'>): number
  /** The time since the database last confirmed the lease of this process (ms). */
  silentMs(): number
}

/** The slots of a worker. They belong to one membership: after a lost lease, the next worker gets a new ownership. */
export type SlotOwnership = Ownership & {
  /** The number of the event shard that has the slots. Absent: the first. */
  shard?: number
  /** Whether the slot of the tag belongs to this worker. `slot`: the slot to check instead, for a spread tag. */
  owns(tagId: string, slot?: number): boolean
  /** False 3.2 s after the last renewal of the lease (monotonic): no call may be started then. */
  mayStart(): boolean
  /** Reports that a write was refused with OwnershipLost. */
  reportLost(): void
}

/** A worker that follows the slots of its process. */
export type SlotWorker = {
  /**
   * Slots were taken. They are not in `ownership.slots()` until this resolves: first, the worker makes the deliveries
   * due that the previous owner left in flight. It retries until that is done, and does not reject.
   */
  gained(slots: readonly number[]): Promise<void>
  /** Now `ownership.slots()` has these slots. */
  changed(slots: readonly number[]): void
  /** Slots go to another worker, and are no longer in `ownership.slots()`. Resolves when no write to them is pending. */
  release(slots: readonly number[]): Promise<void>
  /** The lease has ended, and others may own the slots. The worker must write nothing more. */
  lost(): void
  /** Ends all work, and resolves when its results are written. */
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

/** A row of the change feed. `kind` and `id`: see `postgres/appendChanges.ts`. */
export type ClusterChange = { seq: number; kind: string; id: string }

/** Makes a process that has read nothing from the store read everything. Not a row of the feed. */
export const everythingChanged: ClusterChange = { seq: 0, kind: 'everything', id: '' }

/** The changes that every process must apply. */
export type ChangeFeed = {
  /** Applies each change since the opening of the cluster, in order, from other processes and from this one. */
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
  /** Releases the leases and slots of this process. */
  close(): Promise<void>
}
