/** An error of the database. `code` is the SQLSTATE. */
export class DatabaseError extends Error {
  override name = 'DatabaseError'
  readonly code: string | undefined
  /** The violated constraint. */
  readonly constraint: string | undefined
  constructor(
    message: string,
    { code, constraint, cause }: { code?: string; constraint?: string; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.code = code
    this.constraint = constraint
  }
}

/** No primary answers, or the connection broke before a commit was sent. Nothing was stored. */
export class DatabaseAway extends DatabaseError {
  override name = 'DatabaseAway'
}

/** The answer of a commit was lost, or no standby confirmed it. It may be stored. */
export class CommitUnknown extends DatabaseError {
  override name = 'CommitUnknown'
}

/** The disk is full, or the server accepts only reads. Nothing was stored. */
export class DatabaseReadOnly extends DatabaseError {
  override name = 'DatabaseReadOnly'
}

// https://www.postgresql.org/docs/15/errcodes-appendix.html
const connectionClass = '08'
const operatorClass = '57P' // admin shutdown, crash shutdown, cannot connect now
const readOnlyCodes = new Set(['25006', '53100'])
const sqlState = /^[0-9A-Z]{5}$/
const repeatableCodes = new Set(['40001', '40P01'])
const brokenConnection =
  /^(Connection terminated|Client has encountered a connection error|Query read timeout|timeout expired|Client was closed)/

type ErrorFields = { code?: string; constraint?: string; message?: string }

/** Converts a database error to one of the classes above; returns other errors unchanged. */
export function toDatabaseError(error: unknown): Error {
  if (error instanceof DatabaseError || !(error instanceof Error)) return error as Error
  const { code = '', constraint, message }: ErrorFields = error as Error & ErrorFields
  const fields = { code, ...(constraint && { constraint }), cause: error }
  if (readOnlyCodes.has(code)) return new DatabaseReadOnly(message ?? code, fields)
  const isBroken = code.startsWith(connectionClass) || code.startsWith(operatorClass) || /^E[A-Z]+$/.test(code)
  if (isBroken || brokenConnection.test(message ?? '')) return new DatabaseAway(message ?? code, fields)
  return sqlState.test(code) ? new DatabaseError(message ?? code, fields) : error
}

/** The connection must not be reused, and another host may be the primary. */
export const isAway = (error: unknown): boolean => error instanceof DatabaseAway || error instanceof DatabaseReadOnly

/**
 * A newer version has added a column to a table that a prepared statement reads. The transaction was rolled back, and
 * succeeds on a new connection.
 */
export const isStale = (error: unknown): boolean =>
  error instanceof DatabaseError &&
  (error.cause as { routine?: string } | undefined)?.routine === 'RevalidateCachedQuery'

/** A deadlock or a serialization failure: the transaction was rolled back, and may succeed if it is repeated. */
export const isRepeatable = (error: unknown): boolean =>
  error instanceof DatabaseError && repeatableCodes.has(error.code ?? '')

/** A lock was not granted in time. The transaction was rolled back. */
export const isLockTimeout = (error: unknown): boolean => error instanceof DatabaseError && error.code === '55P03'

/** A row with the same key exists. The transaction was rolled back. */
export const isDuplicate = (error: unknown): boolean => error instanceof DatabaseError && error.code === '23505'
