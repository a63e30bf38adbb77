/**
 * What attempts are counted by: at most `max` within `windowMs` of the first. `name`: a keyed fingerprint. With `delay`
 * attempts above `max` are slowed down and not stopped: the k-th waits k² times `firstMs`, at most `maxMs`, and the count
 * begins again once no attempt came for `windowMs`.
 */
export type AttemptName = {
  name: Uint8Array
  max: number
  windowMs: number
  delay?: { firstMs: number; maxMs: number }
}

/** The attempts to sign in or up, counted together for all processes. Times are epoch ms. */
export type AttemptStore = {
  /**
   * Counts an attempt, if the name may try now. Resolves with the milliseconds until it may try again; 0 if it was counted.
   * Throws Unwritable.
   */
  count(attempt: AttemptName, nowMs: number): Promise<number>
  /** Takes one attempt back. Throws Unwritable. */
  undo(name: Uint8Array): Promise<void>
  /** Takes all attempts of a name back. Throws Unwritable. */
  reset(name: Uint8Array): Promise<void>
  /** Deletes what has expired, and above `maxNames` what expires first. Throws Unwritable. */
  sweep(nowMs: number, maxNames: number): Promise<void>
}
