import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Journey } from '#contract/journey.ts'
import { type Customer, call, makeCustomer, makeScript, openAglet, settledJourney, until } from '../fake/aglet.ts'
import { assertShown, runSteps, stepsOf } from '../fake/docSteps.ts'
import { openVendor } from '../fake/vendor.ts'

const vendor = await openVendor()
after(vendor.close)
const aglet = await openAglet('playground', { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1' })
const customer = await makeCustomer(aglet, 'playground')

/** A separate tag for each code, so that it gets no other events. */
async function playground(name: string, code: string, secrets: Record<string, unknown> = {}) {
  const tag = await call<{ tagId: string; tagUrl: string }>(customer, 'POST', '/tag', { name, domain: 'localhost' })
  const own: Customer = { ...customer, ...tag.body }
  await call(own, 'PUT', `/tag/${own.tagId}`, { consent: 'disabled' })
  const scriptId = await makeScript(own, 'playground', name, [
    { variable: 'PLAYGROUND_CODE', type: 'TEXT', value: code },
    { variable: 'PLAYGROUND_SECRETS', type: 'TEXT', value: JSON.stringify(secrets) },
  ])
  return { own, scriptId }
}

const send = ({ tagUrl }: Customer, event: object) =>
  fetch(`${tagUrl}/tag`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ timestamp: Date.now(), ...event }),
  })

const code = `async tag({ event, user, secrets, fetch, logger }) {
  const answer = await fetch('${vendor.url}/in', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + secrets.KEY },
    body: JSON.stringify({ name: event.eventName, value: event.data?.value, email: user.email }),
  })
  logger.log('answered', answer.status, secrets.KEY)
  if (!answer.ok) throw new Error('not taken with ' + secrets.KEY)
  return { taken: (await answer.json()).id }
}`

test('an event gets to the destination that the code makes; what it logs and returns stands in the journal', async () => {
  vendor.answer = () => ({ status: 201, body: '{"id":7}' })
  const { own } = await playground('one', code, { KEY: 'canary-key-1' })
  await send(own, { eventName: 'Purchase', eventId: 'a', userEmail: 'jane@example.com', data: { value: 12.5 } })
  const told = await settledJourney(own, 'a')
  const [got] = vendor.got
  assert.deepEqual(
    [got?.path, got?.headers.authorization, got?.json],
    ['/in', 'Bearer canary-key-1', { name: 'Purchase', value: 12.5, email: 'jane@example.com' }],
  )
  assert.deepEqual(
    told.deliveries.map(({ status, attempts }) => [status, attempts.map(({ message }) => message)]),
    [['delivered', ['answered 201 •••\nreturned {"taken":7}']]],
  )
  assert.doesNotMatch(JSON.stringify(told), /canary-key-1/)
  assert.doesNotMatch(JSON.stringify(told.deliveries), /jane@example/)
})

test('what the code throws stands in the journal with the line of the customer, and the event is tried again', async () => {
  vendor.answer = () => ({ status: 503 })
  const { own } = await playground('two', code, { KEY: 'canary-key-2' })
  await send(own, { eventName: 'Lead', eventId: 'b' })
  let told: Journey | undefined
  await until(async () => {
    told = (await call<Journey>(own, 'GET', `/tag/${own.tagId}/event/b`)).body
    return told.deliveries?.[0]?.attempts.length === 1
  })
  const [only] = told!.deliveries
  assert.deepEqual([only?.status, typeof only?.nextAt], ['pending', 'number'])
  assert.match(`${only?.attempts[0]?.message}`, /Error: not taken with ••• \(line 8\)/)
  assert.doesNotMatch(JSON.stringify(told), /canary-key-2/)
})

test('simulated with the same code nothing is sent, and the request and the error are those', async () => {
  const { status, body } = await call<{ results: Record<string, unknown>[] }>(customer, 'POST', '/simulate', {
    code,
    secrets: { KEY: 'canary-key-3' },
    events: [{ eventName: 'Lead', eventId: 'c' }],
    replies: [{ status: 503 }],
  })
  assert.equal(status, 200)
  const [{ error, requests } = {}] = body.results
  assert.deepEqual(error, { message: 'Error: not taken with •••', line: 8, column: 25 })
  assert.equal((requests as unknown[]).length, 1)
  assert.ok(!vendor.got.some(({ headers }) => headers.authorization === 'Bearer canary-key-3'))
})

test('docs/playground.md is so, word for word', async () => {
  vendor.answer = () => ({})
  process.env.CRM_URL = vendor.url
  const steps = stepsOf('playground.md')
  const told = await runSteps(steps, aglet)
  const shown = steps.flatMap(({ answer }, at) => (answer ? [{ answer, told: told[at]! }] : []))
  assert.equal(shown.length, 2)
  for (const each of shown) assertShown(each.answer, each.told)
  assert.deepEqual(
    vendor.got.filter(({ path }) => path === '/deals').map(({ json }) => json),
    [{ order: '1001', email: 'jane@example.com' }],
  )
})
