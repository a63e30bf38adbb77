import { CommitUnknown, isAway, isLockTimeout, isRepeatable } from '#postgres/databaseError.ts'
import { Unwritable } from './store.ts'

/** The store cannot be read or written now, as while another node of a database takes over. It may recover. */
export const isStoreAway = (error: unknown): boolean =>
  error instanceof Unwritable ||
  error instanceof CommitUnknown ||
  isAway(error) ||
  isRepeatable(error) ||
  isLockTimeout(error)
