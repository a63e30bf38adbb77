import { keyedMutex } from '#kit/keyedMutex.ts'
import { Conflict } from '#store/store.ts'

const withKeyLock = keyedMutex()
const maxRetries = 5

/** Retries a change if another process has meanwhile replaced the deployment that it was based on. */
async function retryConflicts<T>(change: () => Promise<T>, retriesLeft: number): Promise<T> {
  try {
    return await change()
  } catch (error) {
    const isStale = error instanceof Conflict && error.unique === 'deployment.number'
    if (!isStale || retriesLeft === 0) throw error
    return retryConflicts(change, retriesLeft - 1)
  }
}

/** Serialises the changes of one key, such as a tag id, so that each is based on the previous one. */
export const withChangeLock = <T>(key: string, change: () => Promise<T>): Promise<T> =>
  withKeyLock(key, () => retryConflicts(change, maxRetries))
