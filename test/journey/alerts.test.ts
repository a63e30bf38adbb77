import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type ContactKind, contactKinds } from '#contract/alertKinds.ts'
import type { Incident } from '#contract/alertRule.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import { sealSecret } from '../../src/cli/sealSecret.ts'
import { call, makeCustomer, makeScript, openAglet, sinkAt, until } from '../fake/aglet.ts'
import { openReceivers, receiverUrls, routingKey } from '../fake/receivers.ts'
import { fakeOrder, wooOrderJson, wooWebhook } from '../fake/shop.ts'
import { openInbox } from '../fake/smtpServer.ts'
import { openVendor } from '../fake/vendor.ts'

let secret = ''
const receivers = openReceivers({ now: Date.now }, () => secret)
/** The receivers validate messages as documented. */
const chats = await openVendor(async ({ path, headers, body }) => {
  const name = path.slice(1) as keyof typeof receiverUrls
  const url = receiverUrls[name] ?? `https://${headers['x-aglet-host']}${path}`
  const answer = await receivers.send({ url, headers, body } as unknown as WireRequest)
  return 'status' in answer ? { status: answer.status, body: answer.body } : { status: 500 }
})
const vendor = await openVendor()
const inbox = await openInbox()
after(() => Promise.all([chats.close(), vendor.close(), inbox.close()]))
const aglet = await openAglet('alerts', {
  AGLET_VENDORS_URL: chats.url,
  AGLET_ALLOW_PRIVATE_DESTINATIONS: '1',
  AGLET_SMTP_URL: inbox.url,
  AGLET_SMTP_SENDER: 'Aglet <aglet@shop.example>',
})
const key = 'wc-webhook-key-0123456789'
const address = 'duty@shop.example'
const writeOf = (kind: ContactKind) => {
  if (kind === 'email') return { kind, address }
  return kind === 'pagerDuty' ? { kind, routingKey } : { kind, url: `${chats.url}/${kind}` }
}

/** A shop with a channel, a contact point of each kind, and a rule that notifies all of them of a stopped channel. */
async function openShop() {
  const customer = await makeCustomer(aglet, 'Shop')
  const { tagId } = customer
  const entry = { provider: 'woocommerce', variable: 'WEBHOOK_KEY', type: 'PASSWORD', value: key } as const
  const secrets = [await sealSecret({ ...customer, team: customer.teamId, ...entry })]
  const shops = [{ source: 'woocommerce', shop: 'shop.example', secrets }]
  const saved = await call(customer, 'PUT', `/tag/${tagId}`, { consent: 'disabled', sources: ['woocommerce'], shops })
  assert.equal(saved.status, 200, JSON.stringify(saved.body))
  const scriptId = await makeScript(customer, 'eventSink', 'Meta', sinkAt(vendor.url))
  for (const kind of contactKinds) {
    const put = await call<{ secret?: string }>(customer, 'PUT', `/contact-point/${kind}`, writeOf(kind))
    assert.equal(put.status, 200, JSON.stringify(put.body))
    secret = put.body.secret ?? secret
  }
  const code = /\d{8}/.exec((await inbox.next(address)).text)![0]
  assert.equal((await call(customer, 'POST', '/contact-point/email/confirm', { code })).status, 200)
  const rule = { kind: 'channelStopped', to: [...contactKinds] }
  assert.equal((await call(customer, 'PUT', '/alert-rule/Stopped', rule)).status, 200)
  const order = async (number: number) => {
    const json = wooOrderJson(fakeOrder({ id: `${5_000 + number}`, placedAt: Date.now() }))
    const { headers, body } = wooWebhook({ shop: 'shop.example', key }, 'order.created', json)
    const sent = await fetch(`${customer.tagUrl}/woocommerce/webhook`, { method: 'POST', headers, body })
    assert.equal(sent.status, 200, await sent.text())
  }
  return { customer, scriptId, order }
}

const toldOf = (state: string) => receivers.got.flatMap((each) => (each.state === state ? [each.kind] : [])).sort()
const chatKinds = contactKinds.filter((kind) => kind !== 'email').sort()
const minuteMs = 60_000

test('an outage of the vendor of a shop is one message to each kind of receiver within a minute, and one at its end', async () => {
  const { customer, scriptId, order } = await openShop()
  const firstIncident = async () =>
    (await call<{ incidents: Incident[] }>(customer, 'GET', '/incident')).body.incidents[0]
  await order(0)
  await until(() => vendor.got.length > 0)
  vendor.answer = () => ({ status: 503 })
  for (let number = 1; number <= 12; number++) await order(number)
  await until(() => toldOf('started').length >= chatKinds.length, minuteMs)
  assert.match((await inbox.next(address)).subject, /^Started: Shop: stopped: Meta$/)
  assert.deepEqual(toldOf('started'), chatKinds)
  vendor.answer = () => ({})
  const recovered = async () => {
    const { body } = await call<{ channels: { state: string }[] }>(customer, 'GET', `/tag/${customer.tagId}/channel`)
    return body.channels[0]!.state !== 'vendorDown'
  }
  await until(recovered, 2 * minuteMs)
  await until(() => toldOf('ended').length >= chatKinds.length, minuteMs)
  assert.match((await inbox.next(address)).subject, /^Ended: Shop: stopped: Meta$/)
  assert.deepEqual([toldOf('started'), toldOf('ended')], [chatKinds, chatKinds])
  assert.deepEqual(inbox.mails, [])
  // a receiver has its message before the store knows that it was sent
  await until(async () => (await firstIncident())!.messages.every(({ status }) => status === 'sent'))
  const incident = await firstIncident()
  assert.deepEqual([incident!.scriptIds, incident!.messages.length], [[scriptId], 2 * contactKinds.length])
  assert.ok(incident!.messages.every(({ tries }) => tries === 1))
})
