import { Fault, type FaultName, fault } from '#contract/fault.ts'
import type { Clock } from '#kit/clock.ts'

/** Counts failures by name within a window of time. In memory: a restart resets the counts. */
export type AttemptLimiter = {
  /** Milliseconds until the name may try again; 0 if it may try now. */
  waitMs(name: string): number
  recordFailure(name: string): void
  /** Takes back one failure, for an attempt that was counted before it succeeded. */
  undoFailure(name: string): void
  reset(name: string): void
}

const maxNames = 10_000

/** Allows `maxFailures` of a name within `windowMs` of its first failure. */
export function createAttemptLimiter(
  { maxFailures, windowMs }: { maxFailures: number; windowMs: number },
  clock: Clock,
): AttemptLimiter {
  const entries = new Map<string, { failures: number; until: number }>()
  const current = (name: string) => {
    const entry = entries.get(name)
    return entry && entry.until > clock.now() ? entry : undefined
  }
  return {
    waitMs(name) {
      const entry = current(name)
      return entry && entry.failures >= maxFailures ? entry.until - clock.now() : 0
    },
    recordFailure(name) {
      const { failures, until } = current(name) ?? { failures: 0, until: clock.now() + windowMs }
      entries.delete(name) // reinserted at the end, so that the least recently counted name is evicted first
      entries.set(name, { failures: failures + 1, until })
      if (entries.size > maxNames) entries.delete(entries.keys().next().value!)
    },
    undoFailure(name) {
      const entry = current(name)
      if (!entry || entry.failures <= 1) entries.delete(name)
      else entries.set(name, { ...entry, failures: entry.failures - 1 })
    },
    reset: (name) => void entries.delete(name),
  }
}

export const quarterHourMs = 15 * 60_000

const uncountedFaults: readonly FaultName[] = ['badRequest', 'overloaded']

/** A name and the limiter that counts its attempts. */
export type CountedAttempt = { attempts: AttemptLimiter; name: string }

/**
 * Counts an attempt as a failure of each of its names before it runs, so that concurrent attempts cannot exceed the
 * limit. The count is taken back if the request was malformed or the server overloaded. Throws tooManyAttempts, and
 * whatever `run` throws.
 */
export async function runCounted<Result>(
  counted: readonly CountedAttempt[],
  run: () => Promise<Result>,
): Promise<Result> {
  const waitMs = Math.max(...counted.map(({ attempts, name }) => attempts.waitMs(name)))
  if (waitMs > 0) throw fault('tooManyAttempts', { headers: { 'retry-after': `${Math.ceil(waitMs / 1000)}` } })
  for (const { attempts, name } of counted) attempts.recordFailure(name)
  try {
    return await run()
  } catch (error) {
    if (error instanceof Fault && uncountedFaults.includes(error.fault))
      for (const { attempts, name } of counted) attempts.undoFailure(name)
    throw error
  }
}
