import type { OperationId } from './operations.ts'

/**
 * What a caller without `user:read` gets of a field. `masked`: without addresses of pages, user agents, IP addresses and ids.
 * `host`: an address without its path. `absent`: nothing; a list or an object is empty where the field is required.
 */
export type PersonalTreatment = 'masked' | 'host' | 'absent' | 'empty'
export type PersonalFields = Readonly<Record<string, PersonalTreatment>>

const deliveryRow = { message: 'masked', 'issues.path': 'masked', 'issues.message': 'masked' } as const
const channel = { 'lastError.message': 'masked' } as const
const run = { request: 'absent', logs: 'empty', 'error.message': 'masked' } as const
const below = (path: string, fields: PersonalFields): PersonalFields =>
  Object.fromEntries(Object.entries(fields).map(([name, treatment]) => [`${path}.${name}`, treatment]))

const exchange = {
  'request.url': 'host',
  'request.headers': 'empty',
  'request.body': 'absent',
  'response.headers': 'empty',
  'response.body': 'absent',
} as const

const journey: PersonalFields = {
  received: 'absent',
  afterPlugins: 'absent',
  warnings: 'absent',
  consentProof: 'absent',
  'deliveries.why.notSelected.providers': 'absent',
  'deliveries.afterRules': 'absent',
  'deliveries.attempts.message': 'masked',
  ...below('deliveries.attempts.exchanges', exchange),
}

/**
 * The texts of responses that may be of a visitor, by the path of their field. Lists add nothing to a path. All other texts
 * are of the team, of the server or of vendors about the team; a test names each text that is in neither list.
 */
export const personalTexts: { readonly [Id in OperationId]?: PersonalFields } = {
  readEvent: journey,
  // The event is the caller's own, but its e-mail may join it to a visitor.
  testTag: {
    consentProof: 'absent',
    'deliveries.afterRules': 'absent',
    'deliveries.attempts.message': 'masked',
    ...below('deliveries.attempts.exchanges', exchange),
  },
  listPreviewEvents: below('events.journey', journey),
  listDeliveries: below('deliveries', deliveryRow),
  watchDeliveries: deliveryRow,
  exportTag: { ...deliveryRow, orderId: 'absent' },
  listChannels: below('channels', channel),
  listRuns: below('runs', run),
  readStats: { 'issues.path': 'masked', 'issues.message': 'masked' },
  readIntake: { 'refusals.path': 'masked' },
}

/** The same of the messages of a live stream, which all callers get alike. */
export const personalTextsOfLive = { delivery: deliveryRow, channel, run } as const
