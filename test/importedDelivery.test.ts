import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { ProgramDeps } from '../src/cli/cliDeps.ts'
import { importDeps } from '../src/cli/operator/importDeps.ts'
import { runProgram } from '../src/cli/program.ts'
import { constant, eventData, exported, onEvent, tag, template } from '../src/import/gtm/container.fixture.ts'
import { call, makeCustomer, openAglet, settledJourney } from './fake/aglet.ts'
import { openVendors } from './vendors/server.ts'

const vendors = await openVendors()
after(vendors.close)
const aglet = await openAglet('imported', { AGLET_VENDORS_URL: vendors.url })
const customer = await makeCustomer(aglet, 'imported')
const folder = mkdtempSync(join(tmpdir(), 'aglet-imported-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const path = (name: string) => join(folder, name)

/** Runs one command line like a customer's machine. */
async function run(...words: string[]) {
  const told = { code: 0, out: '', error: '' }
  const never = async () => assert.fail('is not the operator')
  const deps: ProgramDeps = {
    version: '1.2.3',
    env: { XDG_CONFIG_HOME: folder },
    print(text) {
      told.out += text
    },
    printError(text) {
      told.error += text
    },
    readInput: async () => `${customer.token}\n`,
    ask: async () => undefined,
    importDeps: async () => importDeps,
    ...{ operate: never, serve: never, preview: never, simulate: never },
    ...{ doctor: never, init: never, backup: never, restore: never },
  }
  told.code = await runProgram(words, deps)
  return told
}

/** Secrets that a container does not contain, in the vendor's format. */
const given: Readonly<Record<string, string>> = {
  GOOGLE_ANALYTICS_4_API_SECRET: 'abcdefghij0123456789AB',
  FACEBOOK_ACCESS_TOKEN: 'EAABtoken0123456789',
}
const vendorsOfContainer = ['facebook', 'googleAnalytics4', 'pinterest', 'tiktok']

const container = exported({
  customTemplate: [
    template('5', 'Facebook Conversion API', { gallery: 'stape-io/facebook-tag' }),
    template('6', 'TikTok Events API', { gallery: 'tiktok/gtm-template-eapi' }),
    template('7', 'Pinterest API for Conversions', { gallery: 'pinterest/ss-gtm-template' }),
  ],
  variable: [constant('pixel', '1234567890'), eventData('value')],
  trigger: [onEvent('purchase'), onEvent('add_to_cart')],
  tag: [
    tag(
      'FB',
      'cvt_9_5',
      { pixelId: '{{pixel}}', accessToken: 'EAABtoken0123456789', inheritEventName: 'inherit' },
      { firing: ['purchase'] },
    ),
    tag('GA4', 'sgtmgaaw', { measurementId: 'G-ABC1234567' }, { firing: ['purchase'] }),
    tag(
      'TikTok',
      'cvt_9_6',
      { pixel_code: 'CABCDEF1234567890', access_token: 'tiktok-token' },
      { firing: ['purchase'] },
    ),
    tag(
      'Pinterest',
      'cvt_9_7',
      { advertiserId: '549755885175', apiAccessToken: 'pina_token' },
      { firing: ['purchase'] },
    ),
  ],
})

test('every channel of an imported container sends its events to its vendor once its secrets are given', async () => {
  assert.equal((await run('login', '--base-url', customer.baseUrl, '--token', '-')).code, 0)
  writeFileSync(path('server.json'), container)
  const outputs = ['--out', path('shop.yaml'), '--report', path('shop.txt'), '--secrets-file', path('shop.json')]
  const names = ['--tag-name', 'imported shop', '--domain', 'shop.example.com']
  const imported = await run('import', 'gtm', path('server.json'), ...names, ...outputs)
  assert.equal(imported.error, '')
  const secrets = JSON.parse(readFileSync(path('shop.json'), 'utf8')) as Record<string, string>
  const filled = Object.entries(secrets).map(([key, text]) => [key, text || given[key.slice(key.lastIndexOf('.') + 1)]])
  writeFileSync(path('shop.json'), JSON.stringify(Object.fromEntries(filled)))
  const applied = await run('apply', '--file', path('shop.yaml'), '--yes')
  assert.deepEqual([applied.code, applied.error], [0, ''])

  const { tags } = (await call<{ tags: { tagId: string; name: string; tagUrl: string }[] }>(customer, 'GET', '/tag'))
    .body
  const { tagId, tagUrl } = tags.find(({ name }) => name === 'imported shop')!
  const event = {
    eventName: 'Purchase',
    eventId: 'imported-1',
    timestamp: Date.now(),
    userEmail: 'ada@example.com',
    pageUrl: 'https://shop.example.com/thanks',
    data: { value: 30, currency: 'EUR', orderId: '1001', contents: [{ id: 'sku-1', quantity: 1, item_price: 30 }] },
    storage: {
      service: { consent: { all: true } },
      data: { googleAnalytics4: { _ga: 'GA1.1.1234567890.1700000000' } },
    },
  }
  const send = (body: object) =>
    fetch(`${tagUrl}/tag`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${customer.token}`,
        'team-id': customer.teamId,
        'content-type': 'application/json',
        'user-agent': 'Mozilla/5.0',
      },
      body: JSON.stringify(body),
    })
  assert.equal((await send(event)).status, 200)
  const { deliveries } = await settledJourney({ ...customer, tagId }, event.eventId)
  const outcomes = deliveries.map(({ providerId, status, reason }) => [providerId, status, reason ?? '']).sort()
  assert.deepEqual(
    outcomes,
    vendorsOfContainer.map((providerId) => [providerId, 'delivered', '']),
  )
  assert.deepEqual([...new Set(vendors.received.map(({ vendor }) => vendor))].sort(), vendorsOfContainer)
  assert.deepEqual(
    vendors.received.flatMap(({ wrong }) => wrong),
    [],
  )
  const before = vendors.received.length
  await send({ ...event, eventName: 'Search', eventId: 'imported-2' })
  const other = await settledJourney({ ...customer, tagId }, 'imported-2')
  assert.deepEqual(
    new Set(other.deliveries.map(({ status, reason }) => `${status} ${reason}`)),
    new Set(['skipped filtered']),
  )
  assert.equal(vendors.received.length, before)
})
