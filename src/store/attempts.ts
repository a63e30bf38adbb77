/**
 * The limit of attempts for a name: at most `max` within `windowMs` of the first. `name`: a keyed fingerprint. With
 * `delay`, attempts above `max` are delayed instead of refused: the k-th waits k² times `firstMs`, at most `maxMs`, and
 * the count restarts once no attempt came for `windowMs`.
 */
export type AttemptName = {
  name: Uint8Array
  max: number
  windowMs: number
  delay?: { firstMs: number; maxMs: number }
}

/** Attempts to sign in or up, counted across all processes. Times are epoch ms. */
export type AttemptStore = {
  /**
   * Counts an attempt if it is allowed now. Resolves to 0 if it was counted, else to the milliseconds until the next
   * attempt is allowed. Throws Unwritable.
   */
  count(attempt: AttemptName, nowMs: number): Promise<number>
  /** Removes one attempt from the count. Throws Unwritable. */
  undo(name: Uint8Array): Promise<void>
  /** Removes all attempts of a name from the count. Throws Unwritable. */
  reset(name: Uint8Array): Promise<void>
  /** Deletes expired names, and above `maxNames` the names that expire first. Throws Unwritable. */
  sweep(nowMs: number, maxNames: number): Promise<void>
}
