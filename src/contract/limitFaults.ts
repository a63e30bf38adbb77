/**
 * The messages of the faults of a team or a tag that has reached a limit, by HTTP status. `{limit}` is replaced by the
 * operator's setting, which the response also contains as `attributes.limit`. A 429 or 503 can be retried later.
 */
export const limitFaultMessages = {
  409: {
    tooManyTags: 'The team has reached its limit of {limit} tags: delete one with DELETE /tag/{tagId} first.',
    tooManyScripts:
      'The tag has reached its limit of {limit} scripts: delete one with DELETE /script/{scriptId} first.',
    tooManyHooks: 'The team has reached its limit of {limit} hooks: delete one with DELETE /hook/{hookId} first.',
    tooManyContactPoints:
      'The team has reached its limit of {limit} contact points: delete one with DELETE /contact-point/{name} first.',
    tooManyAlertRules:
      'The team has reached its limit of {limit} alert rules: delete one with DELETE /alert-rule/{name} first.',
    tooManyApplications:
      'The team has reached its limit of {limit} applications: delete one with DELETE /application/{applicationId} first.',
    tooManyReplays:
      'The team has reached its limit of {limit} unfinished replays. Wait for one to finish, or stop one with DELETE /tag/{tagId}/replay/{replayId}.',
  },
  429: {
    tooManyCodes: 'The team has reached its limit of {limit} confirmation codes per hour. Try again later.',
    intakeRateExceeded:
      'The tag or its team has reached its limit of {limit} events per second. Send the request again after the seconds in Retry-After.',
    intakeShareExceeded:
      'The server is busy and the team sends more than its current share of {limit} events per second. Send the request again after the seconds in Retry-After.',
    tooManyWatching: 'The team has reached its limit of {limit} open streams. Close one first.',
    tooManyWatchingPerson: 'You have reached your limit of {limit} open streams. Close one first.',
    tooManyQueries:
      'The team has reached its limit of {limit} concurrent statistics and searches. Wait for one to finish.',
    tokenRateExceeded:
      'The application has reached its limit of {limit} access tokens per minute. Reuse a token until it expires, or retry after the seconds in Retry-After.',
  },
  503: {
    queryTooSlow:
      'The query took longer than {limit} seconds and was stopped. Use a shorter time range, or filter by script, status or event name.',
  },
} as const
