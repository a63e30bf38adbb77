import type { OperationId } from './operations.ts'

/**
 * What a caller without `user:read` receives of a field. `masked`: without page URLs, user agents, IP addresses and
 * ids. `host`: a URL without its path. `absent`: nothing. `empty`: an empty list or object, for a required field.
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
 * The texts of responses that may be about a visitor, by the path of their field. Lists add nothing to a path. All
 * other texts are about the team, the server or the vendors; a test reports texts that are in neither list.
 */
export const personalTexts: { readonly [Id in OperationId]?: PersonalFields } = {
  readEvent: journey,
  // The event is the caller's own, but its e-mail may match a visitor.
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

/** The same for the messages of a live stream, which are equal for all callers. */
export const personalTextsOfLive = { delivery: deliveryRow, channel, run } as const
