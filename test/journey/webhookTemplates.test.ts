import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Journey } from '#contract/journey.ts'
import { type Customer, call, makeCustomer, makeScript, openAglet, type Plain, sealFor, until } from '../fake/aglet.ts'

const aglet = await openAglet('webhook-templates')

/** A tag with this template as its webhook. */
async function openTemplate(name: string, secrets: Record<string, unknown> = {}, token?: string) {
  const customer = await makeCustomer(aglet, name)
  await call(customer, 'PUT', `/tag/${customer.tagId}`, { consent: 'disabled' })
  const code = readFileSync(join(import.meta.dirname, '../../docs/templates', `${name}.js`), 'utf8')
  const plain: Plain[] = [
    { variable: 'WEBHOOK_CODE', type: 'TEXT', value: code },
    { variable: 'WEBHOOK_SECRETS', type: 'TEXT', value: JSON.stringify(secrets) },
    ...(token ? [{ variable: 'WEBHOOK_TOKEN', type: 'TEXT', value: token } as const] : []),
  ]
  const scriptId = await makeScript(customer, 'webhook', name, plain)
  return { customer, scriptId, url: `${customer.tagUrl}/webhook/${scriptId}` }
}

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body, headers })

/** The event as received. */
async function received(customer: Customer, eventId: string): Promise<Record<string, unknown>> {
  let journey: Journey | undefined
  await until(async () => {
    const path = `/tag/${customer.tagId}/event/${encodeURIComponent(eventId)}`
    const { status, body } = await call<Journey>(customer, 'GET', path)
    journey = body
    return status === 200 && body.received !== undefined
  })
  return journey!.received!
}

const hmac = (secret: string, text: string, encoding: 'base64' | 'hex') =>
  createHmac('sha256', secret).update(text).digest(encoding)
const seconds = () => Math.floor(Date.now() / 1000)

test('the WooCommerce template takes a signed order, answers the ping, and refuses another signature', async () => {
  const { customer, url } = await openTemplate('woocommerce-orders', { WOOCOMMERCE_SECRET: 'key' })
  const order = JSON.stringify({
    id: 727,
    number: '727',
    currency: 'EUR',
    date_created_gmt: new Date().toISOString().slice(0, 19),
    total: '29.35',
    total_tax: '1.35',
    shipping_total: '10.00',
    discount_total: '0.00',
    billing: { email: 'ada@example.com', phone: '', first_name: 'Ada', last_name: 'L' },
    line_items: [{ name: 'Shirt', product_id: 93, variation_id: 0, quantity: 2, sku: 'S-1', price: 9 }],
  })
  const signed = (secret: string) => ({ 'x-wc-webhook-signature': hmac(secret, order, 'base64') })
  assert.equal((await post(url, 'webhook_id=12')).status, 204)
  assert.equal((await post(url, order, signed('other'))).status, 401)
  const answer = await post(url, order, signed('key'))
  assert.deepEqual(await answer.json(), { eventId: 'woocommerce-727', status: 'accepted' })
  const { data, eventName, userEmail } = await received(customer, 'woocommerce-727')
  assert.deepEqual([eventName, userEmail], ['Purchase', 'ada@example.com'])
  assert.deepEqual(data, {
    orderId: '727',
    value: 29.35,
    tax: 1.35,
    shipping: 10,
    discount: 0,
    currency: 'EUR',
    contents: [{ id: '93', sku: 'S-1', title: 'Shirt', quantity: 2, item_price: 9 }],
  })
})

test('the Stripe template takes a signed checkout in the units of its currency, and refuses an old or another signature', async () => {
  const { customer, url } = await openTemplate('stripe-checkout', { STRIPE_SECRET: 'whsec_key' })
  const session = (id: string, currency: string) =>
    JSON.stringify({
      type: 'checkout.session.completed',
      created: seconds(),
      data: {
        object: {
          id,
          currency,
          payment_status: 'paid',
          amount_total: 5998,
          total_details: { amount_tax: 958, amount_shipping: 0, amount_discount: null },
          customer_details: { email: 'ada@example.com', phone: null },
          metadata: { userId: 'visitor-1' },
        },
      },
    })
  const send = (body: string, at = seconds(), secret = 'whsec_key') =>
    post(url, body, { 'stripe-signature': `t=${at},v1=${hmac(secret, `${at}.${body}`, 'hex')},v0=x` })
  assert.equal((await send(session('cs_1', 'eur'), seconds() - 600)).status, 401)
  assert.equal((await send(session('cs_1', 'eur'), seconds(), 'whsec_other')).status, 401)
  assert.equal((await post(url, session('cs_1', 'eur'), { 'stripe-signature': 't=x' })).status, 401)
  assert.equal((await send(session('cs_1', 'eur'))).status, 200)
  assert.equal((await send(session('cs_2', 'jpy'))).status, 200)
  const euros = await received(customer, 'stripe-cs_1')
  assert.deepEqual(euros.data, { orderId: 'cs_1', value: 59.98, tax: 9.58, shipping: 0, currency: 'EUR' })
  const yen = await received(customer, 'stripe-cs_2')
  assert.equal((yen.data as { value: number }).value, 5998)
})

test('the Meta template answers the challenge by GET, and takes signed leads with every digit of their ids', async () => {
  const { customer, url } = await openTemplate('meta-leads', { META_VERIFY_TOKEN: 'verify', META_APP_SECRET: 'app' })
  const ask = (token: string) => fetch(`${url}?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${token}`)
  assert.equal(await (await ask('verify')).text(), '1158201444')
  assert.equal((await ask('guess')).status, 403)
  const body = `{"object":"page","entry":[{"id":1,"changes":[{"field":"leadgen","value":{"leadgen_id":44444444444444444441,
    "form_id":12312312312,"ad_id":"7","created_time":${seconds()}}}]}]}`
  const signed = (secret: string) => ({ 'x-hub-signature-256': `sha256=${hmac(secret, body, 'hex')}` })
  assert.equal((await post(url, body, signed('other'))).status, 401)
  assert.deepEqual(await (await post(url, body, signed('app'))).json(), { leads: 1 })
  const { data } = await received(customer, 'meta-44444444444444444441')
  assert.deepEqual(data, { leadId: '44444444444444444441', formId: '12312312312', adId: '7' })
})

test('the Slack template answers its verification and takes signed events', async () => {
  const { customer, url } = await openTemplate('slack-events', { SLACK_SIGNING_SECRET: 'slack' })
  const send = (message: object, at = seconds(), secret = 'slack') => {
    const body = JSON.stringify(message)
    const signature = `v0=${hmac(secret, `v0:${at}:${body}`, 'hex')}`
    return post(url, body, { 'x-slack-signature': signature, 'x-slack-request-timestamp': `${at}` })
  }
  assert.equal(await (await send({ type: 'url_verification', challenge: '3eZbrw1a' })).text(), '3eZbrw1a')
  const event = {
    type: 'event_callback',
    event_id: 'Ev1',
    event_time: seconds(),
    event: { type: 'app_mention', text: 'hi' },
  }
  assert.equal((await send(event, seconds() - 600)).status, 401)
  assert.equal((await send(event, seconds(), 'other')).status, 401)
  assert.equal((await send(event)).status, 200)
  const { eventName, data } = await received(customer, 'slack-Ev1')
  assert.deepEqual([eventName, data], ['slack_app_mention', { type: 'app_mention', text: 'hi' }])
})

test('the plain template takes its token in each form, and names events by the end of the address', async () => {
  const { customer, url } = await openTemplate('plain-http', {}, 'hook-token')
  const basic = (pair: string) => ({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` })
  const body = (id: string) => `{"id": ${id}, "user": "visitor-1", "data": {"order_id": 9007199254740993}}`
  const forms = [
    { authorization: 'Bearer hook-token' },
    basic('shop:hook-token'),
    basic('hook-token:'),
    { 'x-webhook-token': 'hook-token' },
  ]
  for (const [n, headers] of forms.entries()) {
    const answer = await post(`${url}/Refund`, body(`${n}`), headers as Record<string, string>)
    assert.deepEqual(await answer.json(), { results: [{ eventId: `Refund-${n}`, status: 'accepted' }] })
  }
  for (const headers of [{}, basic('shop:other'), { 'x-webhook-token': '' }, { authorization: 'Basic' }])
    assert.equal((await post(`${url}/Refund`, body('9'), headers as Record<string, string>)).status, 401)
  const { eventName, data } = await received(customer, 'Refund-0')
  assert.deepEqual([eventName, data], ['Refund', { order_id: '9007199254740993' }])
})

const secretsOf: Record<string, Record<string, string>> = {
  'woocommerce-orders': { WOOCOMMERCE_SECRET: 'key' },
  'stripe-checkout': { STRIPE_SECRET: 'key' },
  'meta-leads': { META_VERIFY_TOKEN: 'verify', META_APP_SECRET: 'key' },
  'slack-events': { SLACK_SIGNING_SECRET: 'key' },
  relay: { RELAY_URL: 'https://relay.example' },
  'crm-contacts': { PRIVATE_APP_ACCESS_TOKEN: 'key' },
}

test('a channel is not saved while a secret that its code requires is absent, misnamed or empty', async () => {
  for (const [name, secrets] of Object.entries(secretsOf))
    for (const required of Object.keys(secrets)) {
      const { [required]: value, ...others } = secrets
      for (const wrong of [others, { ...others, [`${required}S`]: value }, { ...others, [required]: '' }])
        await assert.rejects(openTemplate(name, wrong), ({ message }: Error) => message.includes(required), name)
    }
  await assert.rejects(openTemplate('plain-http'), /WEBHOOK_TOKEN/)
})

test('a saved channel keeps the secrets that its code requires', async () => {
  const { customer, scriptId } = await openTemplate('woocommerce-orders', { WOOCOMMERCE_SECRET: 'key' })
  const patch = async (value: string) => {
    const secrets = await sealFor(customer, 'webhook', [{ variable: 'WEBHOOK_SECRETS', type: 'TEXT', value }])
    return (await call(customer, 'PATCH', `/script/${scriptId}`, { secrets })).status
  }
  assert.deepEqual(
    [await patch(''), await patch('{"WOOCOMMERCE": "key"}'), await patch('{"WOOCOMMERCE_SECRET": "new"}')],
    [400, 400, 200],
  )
})
