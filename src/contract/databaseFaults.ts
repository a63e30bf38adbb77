/** The faults of a database that several processes share. The caller may retry after `Retry-After`. */
export const databaseFaults = {
  databaseAway: {
    status: 503,
    code: 'DATABASE_AWAY',
    message: 'The database does not answer; nothing was saved. Retry after the seconds in Retry-After.',
  },
  databaseReadOnly: {
    status: 503,
    code: 'DATABASE_READ_ONLY',
    message:
      'The database is read-only or its disk is full; nothing was saved. Retry after the seconds in Retry-After.',
  },
  commitUnknown: {
    status: 503,
    code: 'COMMIT_UNKNOWN',
    message:
      'The database did not confirm the change in time, so it may or may not be saved. After the seconds in Retry-After, read it and repeat only what is missing.',
  },
} as const
