/** One body as it came, sealed, and the key of each event in it. */
export type Entry = {
  tagId: string
  payload: Uint8Array
  /**
   * A keyed 64-bit fingerprint of tag and eventId for each event of the body, in order; at most 500.
   * `0n` is no key: its event is never fresh, and nothing is remembered of it.
   */
  keys: readonly bigint[]
  /**
   * For each event a key that makes it a repeat where it was taken before, and that it does not take itself; `0n` for an
   * event that has none. Absent where no event has one.
   */
  others?: readonly bigint[]
}

/** Where an event lies: the body's position in the stream, and its place in that body. */
export type EventPlace = { position: number; index: number }

/** A body to be worked on. `fresh` are the places of its events that were taken: the others are repeats. */
export type Leased = { position: number; tagId: string; payload: Uint8Array; fresh: readonly number[] }

/** Of the positions from one to another, those whose bodies are still needed; before `lastMs` nothing is. */
export type Spare = { lastMs: number; needed(from: number, to: number): Promise<readonly number[]> }

/**
 * Owners of tags take turns: each is given as many events as any other whose bodies wait. The bodies of one owner are given out in
 * order. No body is added to what is given out at once where it holds `events` already.
 */
export type LeaseTurns = { ownerOf(tagId: string): string; events: number }

/**
 * What flows: bodies in the order they came, durable before `append` resolves, kept until they are dropped.
 * A key is taken once in seven days: an event whose key, or whose other key, was taken before is a repeat and is not leased.
 */
export type Stream = {
  /** For each event of the body whether it is fresh. Resolves when the body, and every body it repeats, is on disk. */
  append(entry: Entry): Promise<readonly boolean[]>
  /**
   * The next bodies, up to `limit`, each to one worker. In order, or owner by owner where `turns` says whose they are. Waits until
   * there is one; empty once aborted.
   */
  lease(limit: number, signal: AbortSignal, turns?: LeaseTurns): Promise<Leased[]>
  /** These positions are planned: they are not leased again, not after a restart either. */
  settle(positions: readonly number[]): Promise<void>
  /** A body by its position, leased or not; undefined when it has been dropped. */
  read(position: number): Promise<Leased | undefined>
  /**
   * Puts another payload in the place of a body's, for what must not be kept any longer; one after the other, so that none
   * brings back what another took out. Resolves when it is on disk. Does nothing for a body that has been dropped.
   */
  rewrite(position: number, change: (payload: Uint8Array) => Uint8Array): Promise<void>
  /** How many bodies were rewritten here since the start: once it has grown, what was read before may be gone. */
  rewritten(): number
  /** Where the event of this key lies, for as long as the key is known. */
  find(key: bigint): Promise<EventPlace | undefined>
  /** The position of the newest body; 0 before the first. */
  last(): number
  /** Bodies appended and not yet settled. */
  waiting(): number
  /** Drops settled bodies that were appended before `beforeMs`, but for those that are spared, and keys older than seven days. */
  trim(beforeMs: number, spare?: Spare): Promise<void>
  close(): Promise<void>
}
