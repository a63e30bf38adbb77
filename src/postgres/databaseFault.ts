import { type Fault, fault } from '#contract/fault.ts'
import { CommitUnknown, DatabaseAway, DatabaseReadOnly, isLockTimeout, isRepeatable } from './databaseError.ts'

const retryAfter = (seconds: number) => ({ headers: { 'retry-after': String(seconds) } })

/** The fault for a database error, or for an error that it caused; undefined for any other error. */
export function toDatabaseFault(error: unknown): Fault | undefined {
  if (error instanceof DatabaseReadOnly) return fault('databaseReadOnly', retryAfter(10))
  if (error instanceof DatabaseAway) return fault('databaseAway', retryAfter(5))
  if (error instanceof CommitUnknown) return fault('commitUnknown', retryAfter(5))
  if (isLockTimeout(error) || isRepeatable(error)) return fault('overloaded', retryAfter(1))
  return error instanceof Error && error.cause !== undefined ? toDatabaseFault(error.cause) : undefined
}
