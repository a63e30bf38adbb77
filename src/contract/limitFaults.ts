/**
 * The faults of a team or a tag that has reached a limit. `{limit}` is replaced by the operator's setting, which the
 * response also contains as `attributes.limit`. A 429 or 503 can be retried later.
 */
export const limitFaults = {
  tooManyTags: {
    status: 409,
    code: 'TOO_MANY_TAGS',
    message: 'The team has reached its limit of {limit} tags: delete one with DELETE /tag/{tagId} first.',
  },
  tooManyScripts: {
    status: 409,
    code: 'TOO_MANY_SCRIPTS',
    message: 'The tag has reached its limit of {limit} scripts: delete one with DELETE /script/{scriptId} first.',
  },
  tooManyHooks: {
    status: 409,
    code: 'TOO_MANY_HOOKS',
    message: 'The team has reached its limit of {limit} hooks: delete one with DELETE /hook/{hookId} first.',
  },
  tooManyContactPoints: {
    status: 409,
    code: 'TOO_MANY_CONTACT_POINTS',
    message:
      'The team has reached its limit of {limit} contact points: delete one with DELETE /contact-point/{name} first.',
  },
  tooManyCodes: {
    status: 429,
    code: 'TOO_MANY_CODES',
    message: 'The team has reached its limit of {limit} confirmation codes per hour. Try again later.',
  },
  tooManyAlertRules: {
    status: 409,
    code: 'TOO_MANY_ALERT_RULES',
    message: 'The team has reached its limit of {limit} alert rules: delete one with DELETE /alert-rule/{name} first.',
  },
  tooManyApplications: {
    status: 409,
    code: 'TOO_MANY_APPLICATIONS',
    message:
      'The team has reached its limit of {limit} applications: delete one with DELETE /application/{applicationId} first.',
  },
  tooManyReplays: {
    status: 409,
    code: 'TOO_MANY_REPLAYS',
    message:
      'The team has reached its limit of {limit} unfinished replays. Wait for one to finish, or stop one with DELETE /tag/{tagId}/replay/{replayId}.',
  },
  intakeRateExceeded: {
    status: 429,
    code: 'INTAKE_RATE_EXCEEDED',
    message:
      'The tag or its team has reached its limit of {limit} events per second. Send the request again after the seconds in Retry-After.',
  },
  intakeShareExceeded: {
    status: 429,
    code: 'INTAKE_SHARE_EXCEEDED',
    message:
      'The server is busy and the team sends more than its current share of {limit} events per second. Send the request again after the seconds in Retry-After.',
  },
  tooManyWatching: {
    status: 429,
    code: 'TOO_MANY_WATCHING',
    message: 'The team has reached its limit of {limit} open streams. Close one first.',
  },
  tooManyWatchingPerson: {
    status: 429,
    code: 'TOO_MANY_WATCHING_PERSON',
    message: 'You have reached your limit of {limit} open streams. Close one first.',
  },
  tooManyQueries: {
    status: 429,
    code: 'TOO_MANY_QUERIES',
    message: 'The team has reached its limit of {limit} concurrent statistics and searches. Wait for one to finish.',
  },
  tokenRateExceeded: {
    status: 429,
    code: 'TOKEN_RATE_EXCEEDED',
    message:
      'The application has reached its limit of {limit} access tokens per minute. Reuse a token until it expires, or retry after the seconds in Retry-After.',
  },
  queryTooSlow: {
    status: 503,
    code: 'QUERY_TOO_SLOW',
    message:
      'The query took longer than {limit} seconds and was stopped. Use a shorter time range, or filter by script, status or event name.',
  },
} as const satisfies Record<string, { status: number; code: string; message: string }>
