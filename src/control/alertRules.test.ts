import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { slackUrl } from '../../test/fake/alertCases.ts'
import {
  type ControlRequest,
  callControl,
  makeCustomer,
  openTestControl,
  whileQueriesAre,
} from '../../test/fake/testControl.ts'
import { makeEvent } from '../../test/fake/testEvents.ts'

const control = await openTestControl()
after(control.close)
const customer = await makeCustomer(control)
const call = async (id: Parameters<typeof callControl>[1], asked: ControlRequest = {}) => {
  const { status, body } = await callControl(control, id, customer, asked)
  assert.equal(status, 200, JSON.stringify(body))
  return body as Record<string, unknown>
}
await call('putContactPoint', { values: { name: 'ops' }, body: { kind: 'slack', url: slackUrl } })
const put = (more: object) =>
  call('putAlertRule', { values: { name: 'Drop' }, body: { kind: 'volumeDrop', to: ['ops'], ...more } })

test('a rule about an event that no tag has had is saved with a warning, until one has', async () => {
  const { tagId } = customer
  const { warnings, ...saved } = await put({ eventName: 'Purchas"e' })
  assert.deepEqual(warnings, ['No event named "Purchas\\"e" was received in the last 28 days. Check its spelling.'])
  assert.deepEqual((await call('listAlertRules')).alertRules, [saved])
  await makeEvent(control, customer, 'one')
  assert.deepEqual((await put({ eventName: 'Purchase', tagId })).warnings, undefined)
  assert.deepEqual((await put({ eventName: 'Purchase' })).warnings, undefined)
  assert.deepEqual((await put({})).warnings, undefined)
  assert.equal(((await put({ eventName: 'purchase', tagId })).warnings as string[]).length, 1)
})

test('a rule is saved without a warning where the events cannot be read', async () => {
  const saved = await whileQueriesAre(control, 'busy', () => put({ eventName: 'Unread' }))
  assert.deepEqual([saved.eventName, saved.warnings], ['Unread', undefined])
})

test('all rules of a team are muted until a time, which lists tell, and the rules stay as they are', async () => {
  const until = control.clock.now() + 60_000
  const { alertRules } = await call('listAlertRules')
  assert.deepEqual(await call('muteAlertRules', { body: { until } }), { mutedUntil: until })
  assert.deepEqual(await call('listAlertRules'), { alertRules, mutedUntil: until })
  assert.deepEqual(await call('listIncidents'), { incidents: [], mutedUntil: until })
  const other = await makeCustomer(control)
  assert.equal((await callControl(control, 'listAlertRules', other)).body.mutedUntil, undefined)
  control.clock.set(60_000)
  assert.deepEqual(await call('listAlertRules'), { alertRules })
  await call('muteAlertRules', { body: { until: control.clock.now() + 60_000 } })
  assert.deepEqual(await call('muteAlertRules', { body: { until: 0 } }), {})
  assert.deepEqual(await call('listIncidents'), { incidents: [] })
  const { entries } = await call('listAudit', { values: { what: 'muteAlertRules' } })
  assert.equal((entries as unknown[]).length, 3)
})
