import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { callControl, makeCustomer, makeScript, openTestControl, sealPlain } from '../../test/fake/testControl.ts'

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

test('a preview of a saved script reads a phone number by the default country of its tag, or of the line', async () => {
  const phoneOf = async (more: object) => {
    const { body } = await preview({ ...line, user: { phone: '0171 1234567' }, ...more })
    const [request] = body.requests as { body: string }[]
    return request && (JSON.parse(request.body).data[0].user_data.ph as string[])[0]
  }
  const digits = (text: string) => createHash('sha256').update(text).digest('hex')
  assert.equal(await phoneOf({ captured: {} }), undefined)
  assert.equal(await phoneOf({ defaultCountry: 'DE' }), digits('491711234567'))
  const own = await makeCustomer(control)
  const scriptId = await makeScript(control, own, {
    name: 'meta',
    providerId: 'facebook',
    secrets: await sealPlain(
      control,
      own,
      'facebook',
      ['FACEBOOK_PIXEL_ID', 'IDENTIFIER', '42'],
      ['FACEBOOK_ACCESS_TOKEN', 'PASSWORD', 'token'],
    ),
  })
  await callControl(control, 'updateTag', own, { values: { tagId: own.tagId }, body: { defaultCountry: 'DE' } })
  const body = { ...line, secrets: {}, user: { phone: '0171 1234567' }, scriptId }
  const saved = await callControl(control, 'preview', own, { body })
  assert.match(JSON.stringify(saved.body), new RegExp(digits('491711234567')))
})
