import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Journey } from '#contract/journey.ts'
import { sealSecret } from '../../src/cli/sealSecret.ts'
import { call, makeCustomer, makeScript, openAglet, settledJourney, sinkAt } from '../fake/aglet.ts'
import { openVendor } from '../fake/vendor.ts'
import { openWordPress } from './wordpress.ts'

const sink = await openVendor()
const aglet = await openAglet('wordpress', { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1' })
const customer = await makeCustomer(aglet, 'woocommerce')
const wordpress = await openWordPress()
after(async () => {
  await wordpress.close()
  await sink.close()
})
const { step } = wordpress
const key = 'a key of the shop, 32 characters'
const secrets = [
  await sealSecret({
    ...customer,
    team: customer.teamId,
    provider: 'woocommerce',
    variable: 'WEBHOOK_KEY',
    type: 'PASSWORD',
    value: key,
  }),
]
const shops = [{ source: 'woocommerce', shop: 'shop.example', purchaseOn: 'paid', secrets }]
assert.equal((await call(customer, 'PUT', `/tag/${customer.tagId}`, { sources: ['woocommerce'], shops })).status, 200)
await makeScript(customer, 'eventSink', 'sink', sinkAt(sink.url))
await step('install')

type Made = { id: number; key: string }
type State = {
  meta: Record<string, string>
  actions: { at: number }[]
  refused: string
  declared: object
  autoload: string
  list: { id: number }[]
}
const stateOf = (id: number) => step<State>('state', { id })
const yes = { statistics: true, marketing: true, preferences: true }
const no = { statistics: false, marketing: false, preferences: false }
const journey = (eventId: string) => call<Journey>(customer, 'GET', `/tag/${customer.tagId}/event/${eventId}`)

test('the plug-in keeps the coding rules that PHP_CodeSniffer has without the standard of WordPress', () => {
  const folder = join(import.meta.dirname, '../../connectors/woocommerce')
  const { stdout, status } = spawnSync('phpcs', ['--standard=phpcs.xml', 'aglet-for-woocommerce'], {
    cwd: folder,
    encoding: 'utf8',
  })
  assert.equal(status, 0, stdout)
})

test('the plug-in is activated in WordPress, knows the order storage and the block checkout, and keeps its key out of every page load', async () => {
  const plugins = ['woocommerce/woocommerce.php', 'aglet-for-woocommerce/aglet-for-woocommerce.php']
  const alone = await step<string[]>('activate', { plugins: plugins.slice(0, 1) })
  assert.deepEqual(
    [...alone, ...(await step<string[]>('activate', { plugins: plugins.slice(1) }))],
    ['active', 'active'],
  )
  assert.match(await step<string>('settings', { tagUrl: 'http://elsewhere.example/t/x', key }), /https/)
  assert.match(await step<string>('settings', { tagUrl: customer.tagUrl, key: 'short' }), /16/)
  assert.equal(await step<string>('settings', { tagUrl: customer.tagUrl, key }), '')
  const { id } = await step<Made>('checkout', { pays: false })
  const { declared, autoload } = await stateOf(id)
  assert.deepEqual(declared, { custom_order_tables: true, cart_checkout_blocks: true })
  assert.ok(['no', 'off'].includes(autoload))
  await step('run')
})

for (const kind of ['classic', 'block'])
  test(`an order of the ${kind} checkout is queued once, sent, and delivered with visitor, consent, cookies and device`, async () => {
    const cookies = { tag_user_id: `usr_${kind}`, _fbp: 'fb.1.2.3', session: 'secret' }
    const { id } = await step<Made>('checkout', { kind, cookies, consent: yes })
    const { meta, actions } = await stateOf(id)
    assert.equal(actions.length, 1)
    assert.deepEqual(meta, {
      _aglet_consent: '{"analytics":true,"marketing":true,"preferences":true}',
      _aglet_user: `usr_${kind}`,
      _fbp: 'fb.1.2.3',
    })
    assert.equal(await step('run'), 1)
    const told = await settledJourney(customer, `purchase-${id}`)
    assert.deepEqual([told.userId, told.deliveries[0]?.status], [`usr_${kind}`, 'delivered'])
    const { received } = told as unknown as { received: Record<string, unknown> }
    assert.deepEqual(
      [received.ip, received.userAgent, received.userEmail],
      ['203.0.113.7', 'Mozilla/5.0 (buyer)', 'ada@example.com'],
    )
    assert.ok((await stateOf(id)).meta._aglet_sent)
  })

test('a visitor who refuses is stored with the refusal alone, and no channel gets the order', async () => {
  const { id } = await step<Made>('checkout', { cookies: { tag_user_id: 'usr_no', _fbp: 'x' }, consent: no })
  assert.deepEqual(Object.keys((await stateOf(id)).meta), ['_aglet_consent'])
  await step('run')
  const [delivery] = (await settledJourney(customer, `purchase-${id}`)).deliveries
  assert.deepEqual([delivery?.status, delivery?.reason], ['skipped', 'consent'])
})

test('an order becomes a purchase when it is paid; refund and cancellation follow, each once', async () => {
  const { id } = await step<Made>('checkout', { pays: false, consent: yes, cookies: { tag_user_id: 'usr_late' } })
  await step('run')
  assert.equal((await journey(`purchase-${id}`)).status, 404)
  await step('status', { id, to: 'processing' })
  await step('run')
  assert.equal((await settledJourney(customer, `purchase-${id}`)).deliveries[0]?.status, 'delivered')
  await step('refund', { id, refund: 9000 + id, amount: '19.00' })
  await step('run')
  assert.equal((await settledJourney(customer, `refund-${9000 + id}`)).deliveries[0]?.status, 'delivered')
  const sent = sink.got.length
  await step('status', { id, to: 'cancelled' })
  assert.equal(await step('run'), 1)
  assert.equal(sink.got.length, sent)
})

test('an order that the tag refuses waits, the administrator is told, and it is sent when the key is right', async () => {
  await step('settings', { tagUrl: customer.tagUrl, key: 'another key of thirty-two letters' })
  const { id } = await step<Made>('checkout', { consent: yes, cookies: { tag_user_id: 'usr_wait' } })
  await step('run')
  const { meta, actions, refused } = await stateOf(id)
  assert.deepEqual([meta._aglet_tries, actions.length], ['1', 1])
  assert.match(refused, /401/)
  assert.match(await step<string>('admin', { id }), /refuses the key.*Not sent:.*401/s)
  await step('settings', { tagUrl: customer.tagUrl, key })
  assert.equal(await step('run', { ahead: 50 }), 0)
  assert.equal(await step('run', { ahead: 70 }), 1)
  assert.equal((await settledJourney(customer, `purchase-${id}`)).deliveries[0]?.status, 'delivered')
  const after401 = await stateOf(id)
  assert.deepEqual([after401.meta._aglet_error, after401.refused, after401.actions], [undefined, '', []])
  assert.ok(!(await step<string>('admin', { id })).includes(key))
})

test('the pages load the SDK, the thank-you page reports the purchase by the digest of the order key, and no page has anything about a person', async () => {
  const made = await step<Made>('checkout', { consent: yes, cookies: { tag_user_id: 'usr_page' } })
  const page = await step<string>('page', { id: made.id })
  assert.match(page, new RegExp(`src=.${RegExp.escape(`${customer.tagUrl}/load`)}`))
  const digest = createHash('sha256').update(`woocommerce checkout ${made.key}`).digest('hex').slice(0, 32)
  assert.ok(page.includes(`"eventId":"purchase-${made.id}"`) && page.includes(`"join":"${digest}"`), page)
  for (const text of ['ada@', 'Lovelace', '203.0.113', 'usr_page', made.key, key]) assert.ok(!page.includes(text), text)
})

test('every order of the shop’s database is in the journal or not paid, and the uninstalled plug-in leaves no setting', async () => {
  const { list } = await stateOf(1)
  const states = await Promise.all(list.map(async ({ id }) => (await journey(`purchase-${id}`)).status))
  // the first was not paid; the order of the page test has not been sent yet
  assert.deepEqual(states, [404, 200, 200, 200, 200, 200, 404])
  await step('run')
  await settledJourney(customer, `purchase-${list.length}`)
  assert.deepEqual(await step('uninstall'), ['gone', 'gone'])
})
