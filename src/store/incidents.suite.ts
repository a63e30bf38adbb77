import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type {
  AlertRuleRecord,
  ContactPointRecord,
  IncidentChange,
  IncidentMessageRecord,
  IncidentRecord,
} from './incidents.ts'
import { at, baseChanges, type StoreLocation, team } from './store.fixture.ts'
import { opened } from './store.suite.ts'
import type { Store } from './store.ts'

const point = (n: number, more: Partial<ContactPointRecord> = {}): ContactPointRecord => ({
  ...{ contactPointId: `contact_${n}`, teamId: 'team_1', name: `Point ${n}`, kind: 'slack' },
  ...{ sealed: new Uint8Array([n, 0, 255]), createdAt: at + n },
  ...more,
})
const rule = (n: number, more: Partial<AlertRuleRecord> = {}): AlertRuleRecord => ({
  ...{ ruleId: `rule_${n}`, teamId: 'team_1', name: `Rule ${n}`, createdAt: at + n },
  settings: { kind: 'volumeDrop', eventName: '☃ "Purchase"', by: 0.25, to: ['Point 1'], mutedUntil: at },
  ...more,
})
const message = (status: IncidentMessageRecord['status']): IncidentMessageRecord => ({
  ...{ contactPointId: 'contact_1', to: 'Point 1', about: 'start', status, tries: 1 },
  ...(status === 'pending' ? { nextAt: at } : { group: 'inc_1' }),
})
const incident = (n: number, more: Partial<IncidentRecord> = {}): IncidentRecord => ({
  ...{ incidentId: `inc_${n}`, teamId: 'team_1', ruleId: 'rule_1', tagId: 'tag_1', rule: 'Rule 1' },
  ...{ kind: 'channelStopped', subjects: ['scr_1', ''], timeZone: 'Europe/Berlin' },
  title: { name: 'channelStopped', values: ['Shop ☃', 2.5] },
  detail: { name: 'isVendorDown', values: [] },
  ...{ firstAt: at, lastAt: at + 1, startedAt: at + n, messages: [message('sent')] },
  ...more,
})
const ended = { endedAt: at + 9 }

/** The laws of every store for alert rules, contact points and incidents. */
export function incidentLaws(createLocation: () => Promise<StoreLocation>): void {
  describe('alert rules and incidents', () => {
    const store = opened(createLocation)
    const write = (...changes: IncidentChange[]) => store().write(changes.map((alerting) => ({ alerting })))
    before(() => store().write([...baseChanges, { add: 'team', row: team(9) }]))
    nameLaws(store, write)
    incidentRowLaws(store, write)
  })
}

type Write = (...changes: IncidentChange[]) => Promise<void>

function nameLaws(store: () => Store, write: Write): void {
  const ofOther = { teamId: 'team_9' }

  test('a contact point is found by team and name, is replaced by its name, and is gone after the drop', async () => {
    const other = point(2, { ...ofOther, name: 'Point 1' })
    await write(...[point(1), point(3), other].map((row) => ({ put: 'contactPoint', row }) as const))
    assert.deepEqual(await store().incidents.contactPoint('team_1', 'Point 1'), point(1))
    assert.deepEqual(await store().incidents.contactPoint('team_9', 'Point 1'), other)
    assert.equal(await store().incidents.contactPoint('team_1', 'point 1'), undefined)
    const changed = point(1, { kind: 'email', sealed: new Uint8Array([7]) })
    await write({ put: 'contactPoint', row: changed })
    const first = await store().incidents.contactPoints('team_1', { limit: 1 })
    const second = await store().incidents.contactPoints('team_1', { limit: 1, cursor: first.next! })
    assert.deepEqual([...first.rows, ...second.rows].map(({ name }) => name).sort(), ['Point 1', 'Point 3'])
    assert.equal(second.next, undefined)
    assert.deepEqual(await store().incidents.contactPoint('team_1', 'Point 1'), changed)
    await write({ drop: 'contactPoint', contactPointId: 'contact_1' })
    assert.equal(await store().incidents.contactPoint('team_1', 'Point 1'), undefined)
    assert.deepEqual(await store().incidents.contactPoint('team_9', 'Point 1'), other)
  })

  test('a rule is found by team and name, is replaced by its name, and all teams’ rules are read together', async () => {
    const other = rule(2, { ...ofOther, name: 'Rule 1', settings: { kind: 'disk', to: [] } })
    await write(...[rule(1), other].map((row) => ({ put: 'alertRule', row }) as const))
    assert.deepEqual(await store().incidents.rule('team_1', 'Rule 1'), rule(1))
    assert.deepEqual(await store().incidents.allRules(), [rule(1), other])
    const changed = rule(1, { settings: { kind: 'silence', minutes: 5, to: ['Point 3'] } })
    await write({ put: 'alertRule', row: changed })
    assert.deepEqual((await store().incidents.rules('team_1', { limit: 10 })).rows, [changed])
    await write({ drop: 'alertRule', ruleId: 'rule_2' })
    assert.equal(await store().incidents.rule('team_9', 'Rule 1'), undefined)
    assert.deepEqual(await store().incidents.allRules(), [changed])
  })
}

function incidentRowLaws(store: () => Store, write: Write): void {
  const activeIds = async () => (await store().incidents.active()).map(({ incidentId }) => incidentId).sort()

  test('an incident is active while it lasts or a message waits, and is stored as it was written', async () => {
    const lasting = incident(1)
    const untold = incident(2, { ...ended, messages: [message('sent'), message('pending')] })
    const over = incident(3, { ...ended, calmSince: at + 5 })
    const other = incident(4, { teamId: 'team_9', messages: [] })
    await write(...[lasting, untold, over, other].map((row) => ({ put: 'incident', row }) as const))
    assert.deepEqual(await activeIds(), ['inc_1', 'inc_2', 'inc_4'])
    assert.deepEqual((await store().incidents.list('team_1', { limit: 10 })).rows, [over, untold, lasting])
    const first = await store().incidents.list('team_1', { limit: 2 })
    const second = await store().incidents.list('team_1', { limit: 2, cursor: first.next! })
    assert.deepEqual([first.rows, second.rows, second.next], [[over, untold], [lasting], undefined])
    const told = { ...untold, messages: [message('sent'), message('failed')] }
    await write({ put: 'incident', row: told })
    assert.deepEqual(await activeIds(), ['inc_1', 'inc_4'])
    assert.deepEqual((await store().incidents.list('team_1', { limit: 10 })).rows, [over, told, lasting])
  })

  test('old incidents are dropped unless they are active, and of a write that fails nothing is stored', async () => {
    await write({ drop: 'incidents', before: at + 3 })
    const left = (await store().incidents.list('team_1', { limit: 10 })).rows.map(({ incidentId }) => incidentId)
    assert.deepEqual(left, ['inc_3', 'inc_1'])
    const taken = { add: 'team', row: team(9) } as const
    await assert.rejects(store().write([{ alerting: { put: 'incident', row: incident(5) } }, taken]))
    assert.equal((await store().incidents.list('team_1', { limit: 10 })).rows.length, 2)
  })
}
