import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { callControl, makeCustomer, openTestControl } from '../../test/fake/testControl.ts'

const control = await openTestControl()
after(control.close)
const customer = await makeCustomer(control)
const preview = (body: unknown) => callControl(control, 'preview', customer, { body })

const line = {
  provider: 'facebook',
  secrets: { FACEBOOK_PIXEL_ID: '42', FACEBOOK_ACCESS_TOKEN: 'canary-token' },
  event: { eventName: 'Purchase', eventId: 'e-1', data: { value: 119, tax: 19, currency: 'EUR', orderId: 'A-1' } },
  user: { userId: 'usr_1' },
  captured: { fbclid: 'IwAR0' },
  channel: { purchaseValueMode: 'net' },
}

test('POST /preview returns the requests that a line of `aglet preview` would send', async () => {
  const { status, body } = await preview(line)
  assert.equal(status, 200)
  const [request] = body.requests as { method: string; url: string; headers: object; body: string }[]
  assert.deepEqual([request!.method, request!.url], ['POST', 'https://graph.facebook.com/v25.0/42/events'])
  assert.deepEqual(request!.headers, { 'content-type': 'application/json' })
  const [event] = JSON.parse(request!.body).data
  assert.equal(event.custom_data.value, 100)
  assert.equal(event.event_time, Math.floor(control.clock.now() / 1000), 'the clock is that of the server')
})

test('an event that is not sent is answered with its reason, and one that has no preview with a stable code', async () => {
  const skipped = await preview({ ...line, user: {}, captured: {} })
  assert.deepEqual(skipped.body, { requests: [], skipped: 'identityMissing' })
  const lacking = await preview({ ...line, secrets: {} })
  assert.equal(lacking.body.error, 'SECRET_MISSING')
  const unknown = await preview({ ...line, provider: 'nobody' })
  assert.deepEqual([unknown.status, unknown.body.error, unknown.body.requests], [200, 'UNKNOWN_PROVIDER', []])
})

test('a malformed line is 400 with its issues', async () => {
  const { status, body } = await preview({ ...line, event: { eventName: '' } })
  assert.equal(status, 400)
  assert.deepEqual(
    (body.attributes as { issues: { path: string }[] }).issues.map(({ path }) => path),
    ['event.eventName'],
  )
})

test('the log contains no secret of a line', () => {
  assert.doesNotMatch(JSON.stringify(control.lines), /canary-token/)
})

test('the plugins of a line change its event before the requests are built', async () => {
  const plugins = [{ plugin: 'currencyConversion', settings: { currency: 'USD', rates: { EUR: 0.5 } } }]
  const { body } = await preview({ ...line, plugins })
  const [request] = body.requests as { body: string }[]
  const { custom_data: data } = JSON.parse(request!.body).data[0]
  assert.deepEqual([data.value, data.currency], [200, 'USD'])
  const filtered = await preview({ ...line, plugins: [{ plugin: 'botFilter' }], user: { userAgent: 'curl/8' } })
  assert.deepEqual(filtered.body, { requests: [], skipped: 'filtered' })
})
