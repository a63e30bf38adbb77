/** Delays by the number of earlier crashes of a delivery. */
const delaysMs = [0, 30_000, 120_000, 600_000]

/**
 * The delay (SQL, ms) of a delivery that was in flight when a process ended. Processes may end for other reasons, and
 * each end counts against every delivery that was merely in flight. After more crashes than listed, a delivery is due
 * at once and is given up.
 */
export const recoveryDelay = `CASE crash_count ${delaysMs
  .map((delayMs, count) => `WHEN ${count} THEN ${delayMs}`)
  .join(' ')} ELSE 0 END`
