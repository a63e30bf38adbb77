import { setTimeout as wait } from 'node:timers/promises'
import { CommitUnknown, isAway, isLockTimeout } from './databaseError.ts'

const repeatForMs = 5_000
const pauseMs = 100

/**
 * Runs a write again while the answer of its commit is lost, for up to five seconds. The write must be harmless when it
 * was stored before. Throws CommitUnknown if its end stays unknown.
 */
export async function repeatUnknown<Result>(write: () => Promise<Result>): Promise<Result> {
  const endMs = performance.now() + repeatForMs
  let unknown: CommitUnknown | undefined
  for (;;)
    try {
      return await write()
    } catch (error) {
      if (error instanceof CommitUnknown) unknown = error
      else if (!unknown || !(isAway(error) || isLockTimeout(error))) throw error
      if (performance.now() >= endMs) throw unknown
      await wait(pauseMs)
    }
}
