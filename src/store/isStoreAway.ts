import { CommitUnknown, isAway, isLockTimeout, isRepeatable } from '#postgres/databaseError.ts'
import { Unwritable } from './store.ts'

/** Whether the store cannot be read or written at the moment, for example during a database failover. It may recover. */
export const isStoreAway = (error: unknown): boolean =>
  error instanceof Unwritable ||
  error instanceof CommitUnknown ||
  isAway(error) ||
  isRepeatable(error) ||
  isLockTimeout(error)
