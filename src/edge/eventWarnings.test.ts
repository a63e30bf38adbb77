import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Scope } from '#contract/scopes.ts'
import { event, openTestEdge, tagId, teamId } from './edge.fixture.ts'

const page = { origin: 'https://example.com' }

test('a field that is not a field of an event is accepted with a warning that says where it belongs', async (t) => {
  const edge = await openTestEdge(t)
  const warningsOf = async (more: object) =>
    (await edge.ask({ body: event({ eventId: crypto.randomUUID(), ...more }), headers: page })).json.result.warnings
  assert.deepEqual(await warningsOf({ consent: { all: true } }), [
    '"consent" is not a field of an event: consent belongs at storage.service.consent',
  ])
  assert.deepEqual(await warningsOf({ value: 5 }), [
    '"value" is not a field of an event: event data belongs in data.value',
  ])
  assert.deepEqual(await warningsOf({ page_url: 'https://example.com/' }), [
    '"page_url" is not a field of an event: did you mean pageUrl?',
  ])
  assert.deepEqual(await warningsOf({ colour: 'red' }), [
    '"colour" is not a field of an event; it is stored and passed on, but Aglet does not use it',
  ])
  assert.equal(await warningsOf({ pageUrl: 'https://example.com/', userPhone: '+1', ip: '192.0.2.1' }), undefined)
})

test('an event has at most five warnings, none longer than its names need', async (t) => {
  const edge = await openTestEdge(t)
  const more = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${'x'.repeat(500)}${n}`, n]))
  const { json } = await edge.ask({ body: event(more), headers: page })
  assert.equal(json.result.warnings.length, 5)
  for (const warning of json.result.warnings) assert.ok(warning.length < 200)
})

test('the warning about consent has the brand of the installation', async (t) => {
  const edge = await openTestEdge(t, { deps: { brand: 'Acme' } })
  const { json } = await edge.ask({ body: event({ consent: {}, userId: 'u' }), headers: page })
  assert.deepEqual(json.result.warnings, [
    '"consent" is not a field of an event: consent belongs at storage.acme.consent',
    '"userId" is not a field of an event: a user id belongs in the header AcmeUserId',
  ])
})

test('a server that names its users by e-mail alone is told that each event has a new user', async (t) => {
  const edge = await openTestEdge(t)
  const send = async (headers: Record<string, string>) =>
    (await edge.ask({ body: event({ eventId: crypto.randomUUID(), userEmail: 'jane@example.com' }), headers })).json
      .result
  const [one, other] = [await send({}), await send({})]
  assert.notEqual(one.userId, other.userId)
  assert.match(
    one.warnings[0],
    /^userEmail does not identify a user .* Send the header ServiceUserId, or Authorization/,
  )
  assert.equal((await send({ serviceuserid: 'usr_a' })).warnings, undefined)
  assert.equal((await send(page)).warnings, undefined)
})

test('of a body of many events the first with an e-mail tells that e-mails name no user', async (t) => {
  const edge = await openTestEdge(t)
  const emails = [undefined, 'jane@example.com', 'joe@example.com']
  const body = emails.map((userEmail, n) => event({ eventId: `event-${n}`, ...(userEmail && { userEmail }) }))
  const { result } = (await edge.ask({ body })).json
  assert.deepEqual(
    result.map(({ warnings }: { warnings?: string[] }) => warnings?.length),
    [undefined, 1, undefined],
  )
})

test('a trusted call with an e-mail is answered with the id of the user whom it names', async (t) => {
  const access = { by: 'tok', tokenId: 'tok', teamId, application: 'test', scopes: new Set<Scope>(['event:write']) }
  const edge = await openTestEdge(t, { deps: { authenticate: async () => access } })
  const { profiles } = edge.deps
  const tag = { teamId, tagId }
  const association = { key: profiles.emailKey(tag, 'jane@example.com'), isClaimed: false, isConfirmed: true }
  const profile = { keys: { email: 'jane@example.com' }, custom: {}, captured: {}, seenAt: 0 }
  await profiles.change({ tag, userId: 'usr_jane' }, () => profile, association)
  const shop = { authorization: 'Bearer good', 'team-id': teamId }
  const send = async (headers: Record<string, string>, body: unknown) => (await edge.ask({ body, headers })).json.result
  const jane = (eventId: string) => event({ eventId, userEmail: 'jane@example.com' })
  assert.deepEqual(await send(shop, jane('1')), { eventId: '1', userId: 'usr_jane', status: 'accepted' })
  const batch = await send(shop, [jane('2'), event({ eventId: '3', userEmail: 'ada@example.com' }), { eventId: '4' }])
  assert.deepEqual([batch[0].userId, batch[0].status], ['usr_jane', 'accepted'])
  for (const { userId } of batch.slice(1)) assert.notEqual(userId, 'usr_jane')
  assert.equal((await send({ ...shop, serviceuserid: 'usr_b' }, jane('5'))).userId, 'usr_b')
  assert.notEqual((await send({}, jane('6'))).userId, 'usr_jane', 'an untrusted call is not told')
})
