import type { AccountChange } from './accounts.ts'
import type { IncidentChange } from './incidents.ts'
import type { IntakeBatch } from './intake.ts'
import type { ReplayFilter, ReplayRecord } from './replays.ts'
import { at, baseChanges, deployment, idOf, plannedEvent, putUser, script, secret, token } from './store.fixture.ts'
import type { PlannedDelivery, Store, StoreChange } from './store.ts'

const bytes = (text: string) => new Uint8Array(Buffer.from(text))

const accountChanges: readonly AccountChange[] = [
  { add: 'member', row: { teamId: 'team_1', personId: 'per_1', role: 'owner', createdAt: at } },
  {
    add: 'invitation',
    row: {
      ...{ invitationId: 'inv_1', teamId: 'team_1', role: 'editor', hash: bytes('invitation'), by: 'operator' },
      ...{ createdAt: at, expiresAt: at + 1 },
    },
  },
  { add: 'signInLink', row: { hash: bytes('link'), personId: 'per_1', expiresAt: at } },
  { add: 'session', row: { hash: bytes('session'), personId: 'per_1', createdAt: at, expiresAt: at, byLink: true } },
  {
    add: 'device',
    row: {
      ...{ deviceId: 'dev_1', personId: 'per_1', createdAt: at, seenAt: at, expiresAt: at },
      ...{ browser: 'Firefox', system: 'Linux' },
    },
  },
  { put: 'emailChange', row: { personId: 'per_1', sealed: bytes('e-mail'), createdAt: at, expiresAt: at } },
  {
    add: 'application',
    row: {
      ...{ applicationId: 'app_1', teamId: 'team_1', name: 'App', redirectUris: ['https://a.example/cb'] },
      ...{ scopes: ['tag:read'], secretHash: bytes('secret'), createdAt: at },
    },
  },
  {
    put: 'artifact',
    row: { kind: 'Grant', key: bytes('grant'), actor: 'per_1/team_1', sealed: bytes('sealed'), expiresAt: at },
  },
  { use: 'once', hash: bytes('used'), expiresAt: at },
]

const alertingChanges: readonly IncidentChange[] = [
  {
    put: 'contactPoint',
    row: {
      ...{ contactPointId: 'contact_1', teamId: 'team_1', name: 'Ops', kind: 'slack' },
      ...{ sealed: bytes('https'), createdAt: at },
    },
  },
  {
    put: 'alertRule',
    row: {
      ...{ ruleId: 'rule_1', teamId: 'team_1', name: 'Stopped', createdAt: at },
      settings: { kind: 'channelStopped', to: ['Ops'] },
    },
  },
  {
    put: 'incident',
    row: {
      ...{ incidentId: 'inc_1', teamId: 'team_1', ruleId: 'rule_1', tagId: 'tag_1', rule: 'Stopped' },
      ...{
        kind: 'channelStopped',
        subjects: ['scr_1'],
        title: { name: 'channelStopped', values: ['Shop', 'Meta'] },
        timeZone: 'UTC',
      },
      detail: { name: 'isStopped', values: [] },
      ...{ firstAt: at, lastAt: at, startedAt: at },
      messages: [{ contactPointId: 'contact_1', to: 'Ops', about: 'start', status: 'sent', tries: 1 }],
    },
  },
]

const intake: IntakeBatch = {
  counts: [{ tagId: 'tag_1', at, code: 'accepted', count: 3 }],
  latencies: [{ tagId: 'tag_1', scriptId: 'scr_1', at, kind: 'delivery', bucket: 4, count: 2 }],
  refusals: [{ tagId: 'tag_1', number: 1, at, code: 'badRequest', method: 'POST', path: '/event' }],
  seen: [{ tagId: 'tag_1', call: 'init', host: 'example.com', at }],
  repeats: [{ tagId: 'tag_1', key: -5n, at, count: 2 }],
  matches: [
    {
      ...{ tagId: 'tag_1', scriptId: 'scr_1', at, eventName: 'Purchase', source: 'server', what: 'finding VALUE_ZERO' },
      ...{ count: 2, example: { position: 1, index: 0 } },
    },
  ],
}

const deployed = deployment(1)
deployed.snapshot.scripts.push({
  ...{ scriptId: 'scr_old', name: 'old', providerId: 'eventSink', purchaseValueMode: 'gross', secrets: {} },
})

const replay = (replayId: string, filter: ReplayFilter): ReplayRecord => ({
  ...{ replayId, tagId: 'tag_1', teamId: 'team_1', by: 'tok_1', state: 'queued', createdAt: at, filter, tally: {} },
})

const changes: readonly StoreChange[] = [
  ...baseChanges,
  { add: 'person', row: { personId: 'per_1', name: '', role: 'member', emailKey: bytes('key'), createdAt: at } },
  { add: 'token', row: token() },
  { put: 'script', row: script() },
  { put: 'paused', scriptId: 'scr_1', paused: true },
  { add: 'secret', row: { ...secret(), scriptId: 'scr_old' } },
  { add: 'deployment', row: deployed },
  { put: 'hosts', tagId: 'tag_1', hosts: ['a.example.com'], at },
  {
    add: 'hook',
    row: {
      hookId: 'hook_1',
      teamId: 'team_1',
      kind: 'alert',
      url: 'https://a',
      sealedSecret: bytes('s'),
      createdAt: at,
    },
  },
  {
    put: 'sealingKey',
    row: { kid: 'k1', state: 'active', publicJwk: '{}', sealedPrivate: bytes('private'), createdAt: at },
  },
  { put: 'setting', name: 'checked.at', value: 'today' },
  { put: 'policy', row: { policyType: 'PRIVACY_POLICY', version: '1', required: true, publishedAt: at } },
  { add: 'acceptance', row: { teamId: 'team_1', policyType: 'PRIVACY_POLICY', version: '1', by: 'tok_1', at } },
  { add: 'audit', row: { at, by: 'tok_1', what: 'createTag', teamId: 'team_1', before: { a: 1 }, from: '::1' } },
  ...accountChanges.map((account) => ({ account })),
  {
    add: 'alert',
    row: {
      ...{ alertId: 'alert_1', teamId: 'team_1', kind: 'paused', tagId: 'tag_1', scriptId: 'scr_1' },
      ...{ reason: 'vendorDown', count: 2, since: at, at },
    },
    hookIds: ['hook_1'],
  },
  { put: 'teamMute', teamId: 'team_1', until: at },
  ...alertingChanges.map((alerting) => ({ alerting })),
  {
    add: 'runs',
    rows: [{ runId: 'run_1', tagId: 'tag_1', scriptId: 'scr_1', at, sealed: bytes('run'), eventKeys: [7n] }],
  },
  {
    put: 'orders',
    tagId: 'tag_1',
    rows: [
      {
        ...{ tagId: 'tag_1', id: '1', orderId: '#1', aliases: ['gid://shop/1'], placedAt: at, updatedAt: at },
        ...{ status: 'paid', salesChannel: 'web', currency: 'EUR', value: 84.9, tax: 1, shipping: 2, discount: 3 },
        ...{ refunded: 4, source: 'upload', hashes: ['aa'] },
      },
    ],
  },
  { settle: 'orders', tagId: 'tag_1', rows: [{ id: '1', touched: 0, outcome: 'n|scr_1=n' }] },
  {
    add: 'orderPayloads',
    tagId: 'tag_1',
    rows: [{ tagId: 'tag_1', id: '1', at, sealed: bytes('payload'), people: ['bb'] }],
  },
  { add: 'refusedCalls', rows: [{ tagId: 'tag_1', at, of: 'tag', calls: 4 }] },
  { add: 'intake', batch: intake },
  { add: 'replay', row: replay('rep_1', { statuses: ['dead'], places: [[1, 0]] }) },
  { add: 'replay', row: replay('rep_2', { statuses: ['dead'] }) },
]

/** The positions of the events that `fillEveryTable` plans. */
export const filledPositions = [1, 2, 3, 4] as const

/** Writes at least one row of every table. */
export async function fillEveryTable(store: Store): Promise<void> {
  await store.write(changes)
  const user = { tagId: 'tag_1', userId: 'usr_1', sealed: bytes('profile'), seenAt: at }
  await putUser(store.users, user, {
    claims: [bytes('email')],
    confirmed: [bytes('email')],
    customs: [bytes('custom')],
  })
  const [failed, waiting, held, unstored] = filledPositions.map((position) => plannedEvent(position))
  const purchase = { hash: 'aa', eventHash: 'cc', isFromBrowser: true, value: 84.9, net: 70, currency: 'EUR' }
  await store.journal.plan([{ ...failed!, eventName: 'Unknown name', purchase }])
  const attempt = { deliveryId: idOf(1, 0, 'scr_1'), number: 1, at, durationMs: 5, message: 'no', joined: 'usr_2' }
  const issues = [{ path: 'email', message: 'is missing' }]
  await store.journal.settle(
    [
      {
        deliveryId: idOf(1, 0, 'scr_1'),
        status: 'dead',
        reason: 'vendorDown',
        attempt: { ...attempt, issues, packed: { pack: 0, part: 0 } },
      },
      { deliveryId: idOf(1, 0, 'scr_2'), status: 'delivered', at: at + 3 },
    ],
    [{ tagId: 'tag_1', failed: true, at, sealed: bytes('exchanges') }],
  )
  await store.journal.plan([waiting!])
  const { rows, cursor } = await store.replays.candidates('tag_1', { statuses: ['dead'] }, undefined, 1)
  const progress = { state: 'running', tally: {}, startedAt: at, requeued: rows, nextAt: at } as const
  await store.replays.saveProgress('rep_2', { ...progress, ...(cursor && { cursor }) })
  await store.journal.plan([
    { ...held!, held: { waitsFor: 'usr_1', until: at + 9 }, deliveries: held!.deliveries.map(holdDelivery) },
  ])
  await store.journal.pause({
    ...{
      scriptId: 'scr_2',
      tagId: 'tag_1',
      reason: 'vendorDown',
      since: at,
      until: at + 5,
      times: 1,
      secrets: 'sec_1',
    },
  })
  // Last, because these deliveries must not have rows yet.
  await store.journal.plan([unstored!])
}

const holdDelivery = (each: PlannedDelivery): PlannedDelivery => ({ ...each, status: 'held', reason: 'consent' })
