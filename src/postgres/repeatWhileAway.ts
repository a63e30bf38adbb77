import { setTimeout as wait } from 'node:timers/promises'
import { CommitUnknown, isAway, isLockTimeout, isRepeatable } from './databaseError.ts'

const repeatForMs = 5_000
const pauseMs = 100

const isTemporary = (error: unknown) =>
  error instanceof CommitUnknown || isAway(error) || isRepeatable(error) || isLockTimeout(error)

type RepeatOptions = {
  /** Gets each error. */
  failed?(error: unknown): void
  forMs?: number
}

type Repetition = RepeatOptions & { mayRepeat(error: unknown, isUnknown: boolean): boolean }

/** After the time limit, throws the first CommitUnknown. Later errors do not reveal whether that commit succeeded. */
async function repeat<Result>(
  work: () => Promise<Result>,
  { failed, forMs = repeatForMs, mayRepeat }: Repetition,
): Promise<Result> {
  const giveUpAt = performance.now() + forMs
  let unknown: CommitUnknown | undefined
  for (;;)
    try {
      return await work()
    } catch (error) {
      failed?.(error)
      if (error instanceof CommitUnknown) unknown ??= error
      if (!mayRepeat(error, unknown !== undefined)) throw error
      if (performance.now() >= giveUpAt) throw unknown ?? error
      await wait(pauseMs)
    }
}

/**
 * Repeats work for five seconds (`forMs`) while the database is away, read-only, or its commit is unknown. Then throws
 * the first CommitUnknown, or else the last error. Repeating the work after an unknown commit must be harmless.
 */
export const repeatWhileAway = <Result>(work: () => Promise<Result>, options: RepeatOptions = {}): Promise<Result> =>
  repeat(work, { ...options, mayRepeat: isTemporary })

/**
 * Repeats a write only after a CommitUnknown. While nothing was sent, it fails at once, so that the caller learns that
 * the database is away. Otherwise like `repeatWhileAway`.
 */
export const repeatUnknown = <Result>(write: () => Promise<Result>): Promise<Result> =>
  repeat(write, { mayRepeat: (error, isUnknown) => isUnknown && isTemporary(error) })
