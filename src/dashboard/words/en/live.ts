import { count, frequency, plural } from '../format.ts'

const refusals: Record<string, string> = {
  ORIGIN_REFUSED: 'This page may not send events. Add its origin to the allowed origins of the tag.',
  JSON_BROKEN: 'The body of the call is not JSON.',
  SERVER_TOKEN_REQUIRED: 'The tag accepts server events only with an access token.',
  BAD_REQUEST: 'The call has a wrong or missing field.',
  INTAKE_RATE_EXCEEDED: 'The team or the tag sends more than its limit.',
}

const refusalNames: Record<string, string> = {
  ORIGIN_REFUSED: 'origin not allowed',
  JSON_BROKEN: 'not JSON',
  SERVER_TOKEN_REQUIRED: 'access token missing',
  BAD_REQUEST: 'field wrong or missing',
  INTAKE_RATE_EXCEEDED: 'over the limit',
}

/** Texts of the live page. */
export const liveWords = {
  states: { connecting: 'connecting', open: 'watching', waiting: 'connection lost, trying again', closed: 'stopped' },
  paused: 'paused',
  resume: 'Resume',
  perSecond: (n: number) => `${frequency(n)} events/s`,
  newRows: (n: number) => `${count(n)} new`,
  refused: 'Call refused',
  columns: {
    event: 'Event or call',
    result: 'Result',
    id: 'Event id or request',
    visitor: 'Visitor or sender',
    time: 'Received',
  },
  run: 'Webhook call',
  runError: (message: string, line: number | undefined) => (line === undefined ? message : `${message} (line ${line})`),
  field: (field: string) => `Field ${field}`,
  fieldText: (field: string) => `The field ${field} of the call is missing or wrong. Nothing from the call was stored.`,
  refusalName: (code: string) => refusalNames[code] ?? code,
  refusalText: (code: string) => refusals[code] ?? 'The call was refused. Nothing of it was stored.',
  facts: { code: 'Code', field: 'Field', call: 'Call', origin: 'Origin', time: 'Time' },
  errorsPage: 'All error codes',
  noOrigin: 'no Origin',
  allow: 'Allow it',
  allowed: 'Allowed',
  allowTitle: (origin: string) => `Allow ${origin}?`,
  allowText: 'Pages of this origin may then send events to the tag. Others stay refused.',
  summary: (added: number, failed: number) =>
    failed > 0
      ? `${plural(added, 'new event', 'new events')}, ${count(failed)} failed`
      : plural(added, 'new event', 'new events'),
  emptyTitle: 'Waiting for events',
  empty: 'Rows appear here as they happen: events with each channel’s decision, and calls that were refused.',
  noMatch: 'No row matches these filters',
}
