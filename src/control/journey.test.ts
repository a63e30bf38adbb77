import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createToken } from '#account/token.ts'
import type { DeliveryReason } from '#contract/deliveryStatus.ts'
import { Journey } from '#contract/journey.ts'
import { compileValidator } from '#contract/validator.ts'
import { dedupKeys } from '#event/dedupKeys.ts'
import { sealRecord } from '#event/record.ts'
import { deliveryIdOf } from '#store/deliveryId.ts'
import { type Customer, callControl, makeCustomer, makeScript, openTestControl } from '../../test/fake/testControl.ts'

const control = await openTestControl()
after(control.close)
const { clock } = control
const deps = control.environments.production

/** An accepted event with one delivery that was skipped for this reason. */
async function makeSkipped(
  { tagId, teamId }: Customer,
  { event, scriptId, reason }: { event: Record<string, unknown>; scriptId: string; reason: DeliveryReason },
): Promise<void> {
  const receivedAt = clock.now()
  const eventId = String(event.eventId)
  const person = { userId: 'usr_1', hasExplicitUserId: true, trusted: false, origin: 'https://example.com' }
  const context = { tagId, teamId, ...person, receivedAt, ip: '203.0.113.7' }
  const body = Buffer.from(JSON.stringify({ eventName: 'Purchase', timestamp: receivedAt, ...event }))
  const payload = sealRecord([{ context, body }], context, deps.keys)
  await deps.stream.append({ tagId, payload, ...dedupKeys([eventId], context, deps.keys) })
  const place = await deps.stream.find(deps.keys.team(teamId).eventKey(tagId, eventId, false))
  const delivery = {
    deliveryId: deliveryIdOf({ ...place!, receivedAt, scriptId }),
    scriptId,
    providerId: 'eventSink',
    status: 'skipped',
    reason,
  } as const
  const facts = { consent: { source: 'none' }, place: { country: 'DE', source: 'request' } } as const
  const planned = { ...place!, tagId, eventName: 'Purchase', userId: 'usr_1', receivedAt, ...facts }
  await deps.store.journal.plan([{ ...planned, deliveries: [delivery] }])
}

async function readJourney(as: Customer, eventId: string): Promise<Journey> {
  const { status, body } = await callControl(control, 'readEvent', as, { values: { tagId: as.tagId, eventId } })
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(compileValidator(Journey)(body), [])
  return body as unknown as Journey
}

test('a journey has the facts behind each reason, by the deployment that was live at the time', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as, { name: 'sink', geoRegions: 'US', consentCategory: 'analytics' })
  await makeSkipped(as, { event: { eventId: 'far' }, scriptId, reason: 'region' })
  await makeSkipped(as, { event: { eventId: 'unasked' }, scriptId, reason: 'consent' })
  await makeSkipped(as, { event: { eventId: 'other', providers: ['klaviyo'] }, scriptId, reason: 'notSelected' })
  await clock.turn(1_000)
  const change = {
    values: { scriptId },
    body: { name: 'sink', providerId: 'eventSink', tagId: as.tagId, geoRegions: 'FR' },
  }
  await callControl(control, 'updateScript', as, change)
  const why = async (eventId: string) => (await readJourney(as, eventId)).deliveries[0]?.why
  assert.deepEqual(await why('far'), { region: { regions: 'US', place: { country: 'DE', source: 'request' } } })
  assert.deepEqual(await why('unasked'), { consent: { category: 'analytics', refusedBy: 'none' } })
  assert.deepEqual(await why('other'), { notSelected: { providers: ['klaviyo'] } })
  const { deployment, trusted } = await readJourney(as, 'far')
  assert.equal(typeof deployment, 'number')
  assert.equal(trusted, false)
})

test('a journey shows the event as received and after each plugin that changed it', async () => {
  const as = await makeCustomer(control)
  const plugins = [{ plugin: 'eventRename', settings: { names: { Purchase: 'Order' } } }]
  const changed = await callControl(control, 'updateTag', as, { values: { tagId: as.tagId }, body: { plugins } })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  const scriptId = await makeScript(control, as, { name: 'sink' })
  await makeSkipped(as, { event: { eventId: 'bought', data: { value: 9 } }, scriptId, reason: 'consent' })
  const { received, afterPlugins } = await readJourney(as, 'bought')
  assert.deepEqual([received?.eventName, received?.data], ['Purchase', { value: 9 }])
  assert.deepEqual(
    afterPlugins?.map(({ plugin, event }) => [plugin, event?.eventName]),
    [['eventRename', 'Order']],
  )
})

test('without user:read, what names the person is struck out of the event', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as, { name: 'sink' })
  const names = ['jane@example.com', '+49 30 1234567', 'Jane', 'Doe-Canary', '203.0.113.7']
  const event = {
    eventId: 'of-jane',
    userEmail: names[0],
    user: { phone: names[1] },
    pageUrl: `https://example.com/thanks?email=${names[0]}&gclid=canary`,
    data: { value: 5, note: `for ${names[0]}`, firstName: names[2], lastName: names[3], gift: `to ${names[3]}` },
    ip: names[4],
    storage: { kv: { phone: names[1] } },
  }
  await makeSkipped(as, { event, scriptId, reason: 'consent' })
  const whole = await readJourney(as, 'of-jane')
  assert.equal(whole.redacted, undefined)
  assert.equal(whole.received?.userEmail, names[0])

  const { token } = await createToken(deps, { teamId: as.teamId, scopes: ['event:read'] }, 'operator')
  const bare = await readJourney({ ...as, token }, 'of-jane')
  assert.equal(bare.redacted, true)
  const text = JSON.stringify(bare)
  for (const name of [...names, 'canary']) assert.ok(!text.includes(name), `${name} in ${text}`)
  assert.deepEqual([bare.received, bare.afterPlugins, bare.warnings], [undefined, undefined, undefined])
  assert.deepEqual([bare.eventId, bare.eventName], ['of-jane', 'Purchase'])
})

test('a journey names the keys of the person that no vendor gets, and none of their values', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as, { name: 'sink' })
  const person = { userPhone: '0171 1234567', userEmail: 'null', userZip: '50667', userFirstName: 'Ada' }
  await makeSkipped(as, { event: { eventId: 'german', ...person }, scriptId, reason: 'consent' })
  await makeSkipped(as, { event: { eventId: 'american', ...person, userCountry: 'US' }, scriptId, reason: 'consent' })
  const missing = { key: 'email', reason: 'missing' }
  // the location of these events is Germany
  assert.deepEqual((await readJourney(as, 'german')).unusedKeys, [missing])
  assert.deepEqual((await readJourney(as, 'american')).unusedKeys, [missing, { key: 'phone', reason: 'invalid' }])
  await makeSkipped(as, { event: { eventId: 'valid', userPhone: '+49 171 1234567' }, scriptId, reason: 'consent' })
  assert.equal((await readJourney(as, 'valid')).unusedKeys, undefined)
})

test('a journey names the condition of a rule that was false, and a save counts what other rules change', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as, { filter: { data: { value: { $gte: 10 } } } })
  await makeSkipped(as, { event: { eventId: 'ruled', data: { value: 5 } }, scriptId, reason: 'filtered' })
  const [delivery] = (await readJourney(as, 'ruled')).deliveries
  assert.deepEqual(delivery?.why, { filtered: { rule: { path: 'filter.data.value.$gte', condition: 10 } } })
  const body = { filter: { data: { value: { $gte: 1 } } } }
  const saved = await callControl(control, 'patchScript', as, { values: { scriptId }, body })
  assert.deepEqual((saved.body as { affected?: object }).affected, { events: 1, before: 0, after: 1 })
})

test('a save does not count events that consent, region or the caller’s choice kept from the channel', async () => {
  const as = await makeCustomer(control)
  const scriptId = await makeScript(control, as, { filter: { data: { value: { $gte: 10 } } } })
  for (const reason of ['consent', 'region', 'notSelected', 'filtered'] as const)
    await makeSkipped(as, { event: { eventId: reason, data: { value: 5 } }, scriptId, reason })
  const body = { filter: { data: { value: { $gte: 1 } } } }
  const saved = await callControl(control, 'patchScript', as, { values: { scriptId }, body })
  assert.deepEqual((saved.body as { affected?: object }).affected, { events: 4, before: 0, after: 1 })
})
