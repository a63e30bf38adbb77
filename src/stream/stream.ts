/** One encrypted body, and the deduplication key of each event in it. */
export type StreamEntry = {
  tagId: string
  payload: Uint8Array
  /**
   * A keyed 64-bit fingerprint of tag and eventId for each event of the body, in order; at most 500. An event with `0n`
   * has no key: it is never new, and no key is stored for it.
   */
  keys: readonly bigint[]
  /**
   * A further key for each event, which makes the event a duplicate if that key is already stored. The further key
   * itself is not stored. `0n` for an event without one. Absent if no event has one. An event whose key is another
   * event's further key has no further key.
   */
  others?: readonly bigint[]
  /** The slot of its users (`slotFor`), if the events of the tag are spread. */
  slot?: number
}

/** The location of an event: the position of its body in the stream, and its index in that body. */
export type EventPlace = { position: number; index: number }

/**
 * A leased body. `newIndexes`: the indexes of its new events; the others are duplicates. `mayBePlanned`: an earlier
 * process may have planned it, because it was in the stream when this one began to lease. `slot`: its slot, if it is
 * not the slot of its tag.
 */
export type LeasedRecord = {
  position: number
  tagId: string
  payload: Uint8Array
  newIndexes: readonly number[]
  mayBePlanned?: true
  slot?: number
}

/** `needed`: the positions in a range whose bodies must be kept. Bodies appended before `lastMs` are never kept. */
export type TrimGuard = { lastMs: number; needed(from: number, to: number): Promise<readonly number[]> }

/**
 * Fair leasing: owners of tags take turns, so that each gets as many events as any other with waiting bodies. The
 * bodies of one owner are leased in order. A lease ends once it holds `events` events.
 */
export type LeaseTurns = { ownerOf(tagId: string): string; events: number }

export const inOrder: LeaseTurns = { ownerOf: () => '', events: Number.POSITIVE_INFINITY }

/**
 * A durable queue of bodies in order of arrival, kept until `trim` deletes them, with deduplication. An event whose
 * key, or whose further key, was stored in the last seven days is a duplicate and is not leased.
 */
export type Stream = {
  /**
   * Resolves to one boolean for each event: true for a new event, false for a duplicate. By then the body is on disk,
   * and so is each body with the first copy of a duplicate.
   */
  append(entry: StreamEntry): Promise<readonly boolean[]>
  /** The slot of a user of a tag whose events are spread; undefined for other tags. Absent if no tag is spread. */
  slotFor?(tagId: string, userId: string): number | undefined
  /**
   * Leases the next bodies, at most `limit`; no body is leased twice. In order of arrival, or fairly by owner with
   * `turns`. Waits until there is a body. Empty once aborted.
   */
  lease(limit: number, signal: AbortSignal, turns?: LeaseTurns): Promise<LeasedRecord[]>
  /** Acknowledges these positions. They are not leased again after a restart. */
  settle(positions: readonly number[]): Promise<void>
  /** A body by its position, leased or not; undefined if it has been deleted. */
  read(position: number): Promise<LeasedRecord | undefined>
  /**
   * Replaces the payload of a body, to erase data. Rewrites run one after the other, so that none restores what another
   * has erased. Resolves when the payload is on disk. Does nothing for a deleted body.
   */
  rewrite(position: number, change: (payload: Uint8Array) => Uint8Array): Promise<void>
  /** The number of rewrites since the start. When it grows, payloads that were read before may be outdated. */
  rewritten(): number
  /** The location of the event with this key, while the key is stored. */
  find(key: bigint): Promise<EventPlace | undefined>
  /** The number of bodies that are not settled. */
  waiting(): Promise<number>
  /**
   * Deletes settled bodies that were appended before `beforeMs`, except those that `guard` needs, and expired keys. An
   * adapter may delete by whole days (UTC): bodies are then kept for up to a day more.
   */
  trim(beforeMs: number, guard?: TrimGuard): Promise<void>
  close(): Promise<void>
}
