/** By the number of processes that had ended during attempts of the delivery before (ms). */
const delaysMs = [0, 30_000, 120_000, 600_000]

/**
 * How much later a delivery is tried again that was in flight when a process ended (SQL, ms). Several processes may be
 * ended one after the other for another reason, and each one counts against a delivery that was merely in flight. One
 * with more crashes is due at once, and is given up.
 */
export const recoveryDelay = `CASE crash_count ${delaysMs
  .map((delayMs, count) => `WHEN ${count} THEN ${delayMs}`)
  .join(' ')} ELSE 0 END`
