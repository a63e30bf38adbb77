import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createToken } from '#account/token.ts'
import type { Scope } from '#contract/scopes.ts'
import { encodeExchange } from '#journal/encodedExchange.ts'
import { sealPack } from '#journal/exchangePack.ts'
import { deliveryIdOf } from '#store/deliveryId.ts'
import { callControl, makeCustomer, makeScript, openTestControl } from '../../test/fake/testControl.ts'
import { makeEvent } from '../../test/fake/testEvents.ts'
import { maskText } from './maskTexts.ts'

const control = await openTestControl()
after(control.close)
const { store, stream, keys } = control.environments.production
const { clock } = control

/** Personal data that a vendor repeats. */
const canaries = {
  agent: 'Mozilla/5.0 (X11; Linux) Canary/9',
  page: 'https://shop.example/thanks?order=canary-7',
  click: 'IwAR0canaryClick1234567890',
  address: '203.0.113.77',
  user: 'usr_01canary0000000000000000',
}
const echo = `no match for "${canaries.agent}" at ${canaries.page}, ${canaries.click} of ${canaries.user} from ${canaries.address}`

test('a masked text keeps the words of the vendor, and nothing of what it repeats', () => {
  const masked = maskText(echo)
  for (const canary of Object.values(canaries)) assert.ok(!masked.includes(canary), masked)
  assert.equal(masked, 'no match for "•••" at ••• ••• of ••• from •••')
  for (const plain of ['It answered 503.', 'data.currency is required', 'Invalid pixel id 12345 (code 190, HTTP 400)'])
    assert.equal(maskText(plain), plain)
})

test('without user:read no operation shows what a vendor repeats of a person, in messages and in exchanges', async () => {
  const as = await makeCustomer(control)
  const { tagId, teamId } = as
  const scriptId = await makeScript(control, as, { name: 'sink' })
  await makeEvent(control, as, 'e-1', { isPlanned: false, data: { plan: 'short-canary' } })
  const place = (await stream.find(keys.team(teamId).eventKey(tagId, 'e-1', false)))!
  const planned = { ...place, tagId, eventName: 'Purchase', userId: 'usr_1', receivedAt: clock.now() }
  const deliveryId = deliveryIdOf({ ...planned, scriptId })
  const delivery = { deliveryId, scriptId, providerId: 'eventSink', status: 'pending' } as const
  const facts = { consent: { source: 'none' }, place: { source: 'unknown' } } as const
  await store.journal.plan([{ ...planned, ...facts, deliveries: [delivery] }])
  const message = `${echo} short-canary`
  const exchange = {
    request: { method: 'POST', url: canaries.page, headers: { 'user-agent': canaries.agent }, body: echo },
    response: { status: 400, headers: { 'x-click': canaries.click }, body: echo },
  }
  const attempt = { deliveryId, number: 1, at: clock.now(), durationMs: 3, httpStatus: 400, message }
  const sealed = await sealPack([[encodeExchange(exchange)]], { tagId, teamId }, keys)
  await store.journal.settle(
    [
      {
        deliveryId,
        status: 'refused',
        reason: 'payloadRefused',
        attempt: { ...attempt, packed: { pack: 0, part: 0 } },
      },
    ],
    [{ tagId, failed: true, at: clock.now(), sealed }],
  )
  const tokenWith = async (scopes: Scope[]) =>
    (await createToken(control.environments.production, { teamId, scopes }, 'operator')).token
  const textsFor = async (scopes: Scope[]) => {
    const caller = { ...as, token: await tokenWith(scopes) }
    const ask = async (id: Parameters<typeof callControl>[1], values: Record<string, string>) => {
      const { status, body } = await callControl(control, id, caller, { values: { tagId, ...values } })
      assert.equal(status, 200, JSON.stringify(body))
      return JSON.stringify(body)
    }
    return [await ask('listDeliveries', {}), await ask('listChannels', {}), await ask('readEvent', { eventId: 'e-1' })]
  }
  const all: Scope[] = ['event:read', 'tag:read', 'script:read']
  for (const text of await textsFor([...all, 'user:read'])) assert.ok(text.includes('canaryClick'), text)
  const [rows, channels, journey] = await textsFor(all)
  for (const text of [rows!, channels!, journey!]) {
    for (const canary of Object.values(canaries)) assert.ok(!text.includes(canary), `${canary} in ${text}`)
    assert.match(text, /no match for/)
  }
  const { deliveries } = JSON.parse(journey!) as { deliveries: unknown[] }
  const told = JSON.stringify(deliveries)
  assert.ok(!told.includes('short-canary'), 'in a journey the event’s own texts are known')
  assert.match(told, /https:\/\/shop\.example\/•••/)
})
