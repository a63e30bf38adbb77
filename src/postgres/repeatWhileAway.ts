import { setTimeout as wait } from 'node:timers/promises'
import { CommitUnknown, isAway, isLockTimeout, isRepeatable } from './databaseError.ts'

const repeatForMs = 5_000
const pauseMs = 100

const isTemporary = (error: unknown) =>
  error instanceof CommitUnknown || isAway(error) || isRepeatable(error) || isLockTimeout(error)

/**
 * Repeats work for five seconds (`forMs`) while the database is away, read-only, or its commit is unknown; then throws
 * the last error. The work must be harmless when it is repeated after an unknown commit. `failed` gets each error.
 */
export async function repeatWhileAway<Result>(
  work: () => Promise<Result>,
  { failed, forMs = repeatForMs }: { failed?(error: unknown): void; forMs?: number } = {},
): Promise<Result> {
  const giveUpAt = performance.now() + forMs
  for (;;)
    try {
      return await work()
    } catch (error) {
      failed?.(error)
      if (!isTemporary(error) || performance.now() >= giveUpAt) throw error
      await wait(pauseMs)
    }
}
