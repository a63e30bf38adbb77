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

/** Throws the first CommitUnknown at the end of the time. Later errors do not reveal whether that commit succeeded. */
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
 * Repeats work for five seconds (`forMs`) while the database is away, read-only, or its commit is unknown; then throws
 * CommitUnknown if one was, else the last error. The work must be harmless when it is repeated after an unknown commit.
 */
export const repeatWhileAway = <Result>(work: () => Promise<Result>, options: RepeatOptions = {}): Promise<Result> =>
  repeat(work, { ...options, mayRepeat: isTemporary })

/**
 * Repeats a write only after a CommitUnknown: while nothing was sent, the caller is told at once that the database is
 * away. Else as `repeatWhileAway`.
 */
export const repeatUnknown = <Result>(write: () => Promise<Result>): Promise<Result> =>
  repeat(write, { mayRepeat: (error, isUnknown) => isUnknown && isTemporary(error) })
