/** The faults of a database that several processes share. The caller may retry after `Retry-After`. */
export const databaseFaults = {
  databaseAway: {
    status: 503,
    code: 'DATABASE_AWAY',
    message: 'The database of the server does not answer; nothing was saved. Repeat after the time in Retry-After.',
  },
  databaseReadOnly: {
    status: 503,
    code: 'DATABASE_READ_ONLY',
    message:
      'The database of the server stores nothing now, because it is read-only or its disk is full; nothing was saved. Repeat after the time in Retry-After.',
  },
  commitUnknown: {
    status: 503,
    code: 'COMMIT_UNKNOWN',
    message:
      'The database of the server did not confirm the change in time, so it may be saved or not: read it after the time in Retry-After, and repeat only what is missing.',
  },
} as const
