import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Operation, type OperationId, operations } from './operations.ts'
import { personalTexts } from './personalTexts.ts'
import type { TSchema } from './schema.ts'

type Node = TSchema & {
  type?: string
  enum?: readonly unknown[]
  const?: unknown
  pattern?: string
  properties?: Record<string, Node>
  items?: Node
  anyOf?: readonly Node[]
  patternProperties?: Record<string, Node>
}

/** The paths of texts and of values of any type in a schema. Lists add nothing to a path. */
function textsIn(schema: Node, path: string): string[] {
  if (schema.enum || schema.const !== undefined) return []
  if (schema.anyOf) return schema.anyOf.flatMap((each) => textsIn(each, path))
  if (schema.items) return textsIn(schema.items, path)
  if (schema.properties)
    return Object.entries(schema.properties).flatMap(([name, each]) =>
      textsIn(each, path === '' ? name : `${path}.${name}`),
    )
  if (['integer', 'number', 'boolean', 'null'].includes(schema.type ?? '')) return []
  if (schema.type === 'object' && Object.values(schema.patternProperties ?? {}).every(({ type }) => type === 'integer'))
    return []
  return [path]
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('.') + 1)

/** Texts in these responses that belong to no visitor: ids, codes, and texts that the team or the server wrote. */
const ofNobody = new Set(
  `tagId scriptId providerId deliveryId eventId eventIds eventName userId runId replayId previewId name next cursor country region regions
  plugin added needs takes code method path origin contentType host sdkVersion
  decided map bit condition`.split(/\s+/), // consent maps have names of categories, providers and scripts
)
/** The event of a test belongs to the caller. */
const ofCaller = new Set(
  ['received', 'afterPlugins.event', 'warnings', 'deliveries.why.notSelected.providers'].map(
    (path) => `testTag: ${path}`,
  ),
)

/** Operations whose responses contain only the settings of the team and the operator, and the caller's own input. */
const withoutVisitors = new Set<string>([
  ...['createScript', 'listScripts', 'readScript', 'updateScript', 'patchScript', 'deleteScript'],
  ...['pauseScript', 'resumeScript', 'createTag', 'listTags', 'readTag', 'updateTag', 'deleteTag'],
  ...[
    'applyTagConfig',
    'checkTagConfig',
    'deployTag',
    'listDeployments',
    'readDeployment',
    'readDraft',
    'discardDraft',
  ],
  ...['activateDeployment', 'createHook', 'listHooks', 'deleteHook', 'listAlerts', 'preview', 'simulate'],
  ...['listAlertRules', 'putAlertRule', 'muteAlertRule', 'muteAlertRules', 'deleteAlertRule', 'listIncidents'],
  ...['listContactPoints', 'putContactPoint', 'confirmContactPoint', 'testContactPoint', 'deleteContactPoint'],
  'createPreviewLink',
  ...[
    'readLatestPolicies',
    'readPolicy',
    'acceptPolicy',
    'createApplication',
    'listApplications',
    'approveApplication',
  ],
  ...[
    'rotateClientSecret',
    'deleteApplication',
    'createApplicationToken',
    'deleteToken',
    'listMembers',
    'updateMember',
  ],
  ...[
    'deleteMember',
    'createInvitation',
    'listInvitations',
    'deleteInvitation',
    'readTeam',
    'updateTeam',
    'readManifest',
  ],
  ...['readMe', 'readUserMe'],
  // They count, and identify what they count by event name or id.
  ...['createReplay', 'listReplays', 'readReplay', 'stopReplay', 'readTeamStats', 'readFunnel', 'listEvents'],
  // Orders contain no personal data and have their own scope.
  ...['putOrders', 'listOrders', 'readOrder', 'readReconciliation', 'setReconciliation', 'repairOrders'],
  'readMatchQuality',
  // The id of the user whom the caller names. A caller who erases users need not be able to read them.
  'eraseUser',
  // The audit identifies visitors by id and has its own scope.
  ...['listAudit', 'exportAudit'],
])

/** Operations of a team that a caller without user:read may call. */
const readable = (Object.entries(operations) as [OperationId, Operation][]).filter(
  ([, { access }]) => typeof access !== 'string' && !access.includes('user:read'),
)

test('the table has each operation whose response may hold texts of visitors', () => {
  const open = readable.filter(([id]) => !personalTexts[id] && !withoutVisitors.has(id)).map(([id]) => id)
  assert.deepEqual(open, [], 'add these to contract/personalTexts.ts')
})

test('each text of such a response is of nobody by its name, or the table says what callers without user:read get', () => {
  const open = readable.flatMap(([id, { response }]) => {
    const fields = Object.keys(personalTexts[id] ?? {})
    const isTreated = (path: string) => fields.some((field) => path === field || path.startsWith(`${field}.`))
    const isOpen = (path: string) => path !== '' && !isTreated(path) && !ofNobody.has(nameOf(path))
    return personalTexts[id]
      ? textsIn(response as Node, '')
          .filter(isOpen)
          .map((path) => `${id}: ${path}`)
          .filter((path) => !ofCaller.has(path))
      : []
  })
  assert.deepEqual(open, [], 'add these to contract/personalTexts.ts')
})

test('each row of the table is of a field that a response has', () => {
  const has = (schema: Node, [name, ...rest]: string[]): boolean => {
    if (name === undefined) return true
    if (schema.anyOf) return schema.anyOf.some((each) => has(each, [name, ...rest]))
    if (schema.items) return has(schema.items, [name, ...rest])
    return schema.properties ? schema.properties[name] !== undefined && has(schema.properties[name], rest) : true
  }
  for (const [id, fields] of Object.entries(personalTexts))
    for (const path of Object.keys(fields))
      assert.ok(has(operations[id as OperationId].response as Node, path.split('.')), `${id}: ${path}`)
})
