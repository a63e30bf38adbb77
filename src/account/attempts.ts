import { Fault, type FaultName, fault } from '#contract/fault.ts'
import type { Clock } from '#kit/clock.ts'

/** Failures within a window of time, by name; in memory, because a restart is slower than any window. */
export type Attempts = {
  /** How long the name has to wait, in ms; 0 while it may try. */
  waitMs(name: string): number
  failed(name: string): void
  /** One failure less: it was counted before it was known to be none. */
  takeBack(name: string): void
  forget(name: string): void
}

const mostNames = 10_000

/** `most` failures of one name are allowed within `windowMs`, which begins with the first of them. */
export function countAttempts({ most, windowMs }: { most: number; windowMs: number }, clock: Clock): Attempts {
  const counted = new Map<string, { failures: number; until: number }>()
  const current = (name: string) => {
    const known = counted.get(name)
    return known && known.until > clock.now() ? known : undefined
  }
  return {
    waitMs(name) {
      const known = current(name)
      return known && known.failures >= most ? known.until - clock.now() : 0
    },
    failed(name) {
      const { failures, until } = current(name) ?? { failures: 0, until: clock.now() + windowMs }
      counted.delete(name) // to the end: the names that were counted longest ago go first
      counted.set(name, { failures: failures + 1, until })
      if (counted.size > mostNames) counted.delete(counted.keys().next().value!)
    },
    takeBack(name) {
      const known = current(name)
      if (!known || known.failures <= 1) counted.delete(name)
      else counted.set(name, { ...known, failures: known.failures - 1 })
    },
    forget: (name) => void counted.delete(name),
  }
}

export const quarterHourMs = 15 * 60_000

const takenBack: readonly FaultName[] = ['badRequest', 'overloaded']

/** A name and what counts its attempts. */
export type Counted = { attempts: Attempts; name: string }

/**
 * Makes an attempt that is counted by each of its names before it is known to fail: of many at once no more are let through.
 * One that was badly asked, or that the server had no room for, is taken back. Throws tooManyAttempts, and what the attempt
 * throws.
 */
export async function attempt<Result>(counted: readonly Counted[], run: () => Promise<Result>): Promise<Result> {
  const waitMs = Math.max(...counted.map(({ attempts, name }) => attempts.waitMs(name)))
  if (waitMs > 0) throw fault('tooManyAttempts', { headers: { 'retry-after': `${Math.ceil(waitMs / 1000)}` } })
  for (const { attempts, name } of counted) attempts.failed(name)
  try {
    return await run()
  } catch (error) {
    if (error instanceof Fault && takenBack.includes(error.fault))
      for (const { attempts, name } of counted) attempts.takeBack(name)
    throw error
  }
}
