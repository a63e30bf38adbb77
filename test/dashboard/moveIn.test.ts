import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Browser, Download, Page } from 'playwright-core'
import type { Script } from '#contract/script.ts'
import type { Tag } from '#contract/tag.ts'
import {
  client,
  constant,
  eventData,
  exported,
  onEvent,
  tag,
  template,
  trigger,
} from '#import/gtm/container.fixture.ts'
import { violations } from '../fake/accessibility.ts'
import { call } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, canary, type DashboardFixture, makeFixture } from '../fake/dashboard.ts'
import { openDashboard, pathsOf, tooWide, watch } from '../fake/dashboardBrowser.ts'

const [owner, viewer] = ['jane@movein.shop.example', 'vic@movein.shop.example']
let fixture: DashboardFixture
let browser: Browser
if (!noChromium) {
  const { aglet, vendors, browser: shared } = await openDashboard()
  browser = shared
  before(async () => {
    fixture = await makeFixture(aglet, vendors)
    await addPerson(fixture.customer, { name: 'Jane Doe', email: owner, role: 'owner' })
    await addPerson(fixture.customer, { name: 'Vic Viewer', email: viewer, role: 'viewer' })
  })
}

const token = `EAAB${canary}`
const apiSecret = `api-${canary}`
const fields = { pixelId: '{{pixel}}', accessToken: '{{token}}', inheritEventName: 'override', eventName: 'standard' }
/** A shop's container: Meta with its token, GA4 without its secret, a paused TikTok, code, and a Firestore lookup. */
const container = exported({
  customTemplate: [
    template('5', 'Facebook Conversion API', { gallery: 'stape-io/facebook-tag' }),
    template('6', 'TikTok Events API', { gallery: 'stape-io/tiktok-tag' }),
    template('7', '<img src=x onerror=alert(1)>', {}),
  ],
  client: [client('GA4', 'gaaw_client')],
  variable: [constant('pixel', '1234567890'), constant('token', token), eventData('value')],
  trigger: [
    trigger('big', 'CUSTOM_EVENT', ['EQUALS', '{{_event}}', 'purchase'], ['GREATER', '{{ed value}}', '10']),
    onEvent('form_sent'),
  ],
  tag: [
    tag('FB purchase', 'cvt_9_5', { ...fields, eventNameStandard: 'Purchase' }, { firing: ['big'] }),
    tag('FB lead', 'cvt_9_5', { ...fields, eventNameStandard: 'Lead' }, { firing: ['form_sent'] }),
    tag('GA4', 'sgtmgaaw', { measurementId: 'G-ABC1234567' }, { firing: ['big'] }),
    tag('TikTok', 'cvt_9_6', { pixelId: 'C123ABC', accessToken: token }, { firing: ['big'], more: { paused: true } }),
    tag('Remarketing', 'sgtmadsremarket', { conversionId: '123' }, { firing: ['big'] }),
    tag('<b>own code</b>', 'cvt_9_7', {}, { firing: ['big'] }),
  ],
})

const choose = (page: Page, ...files: [name: string, content: string | Buffer][]) =>
  page
    .getByLabel('File of the export')
    .setInputFiles(
      files.map(([name, content]) => ({ name, mimeType: 'application/json', buffer: Buffer.from(content) })),
    )
const pathOf = () => `${pathsOf(fixture).team}/move-in`
const group = (page: Page, name: string) => page.getByRole('group', { name, exact: true })

/** A file on a disk, from which the browser reads: a buffer would be sent to it as text. */
async function withFileOf(bytes: number, use: (path: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'aglet-move-in-'))
  const path = join(folder, 'large.json')
  writeFileSync(path, '')
  truncateSync(path, bytes)
  await use(path).finally(() => rmSync(folder, { recursive: true }))
}

const textOf = async (download: Download) => readFileSync((await download.path())!, 'utf8')

describe('moving in', { skip: noChromium }, () => {
  test('a container becomes a report, asks for what it lacks, is planned, and is applied to a new tag', async () => {
    const { page, go, consoleErrors, strangers, sent, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(pathsOf(fixture).team)
    await page.getByRole('link', { name: 'Move in' }).click()
    await page.getByText('No export yet').waitFor()
    assert.deepEqual(await violations(page), [])
    sent.length = 0
    await choose(page, ['server.json', container])

    const report = page.getByRole('region', { name: 'Report' })
    await report.getByRole('row', { name: /FB purchase tag moved Meta/ }).waitFor()
    assert.deepEqual(
      sent.filter((line) => /^(POST|PUT|PATCH)/.test(line)),
      [],
    )
    await report.getByRole('button', { name: /^needs a value \(\d+\)/ }).click()
    await report.getByRole('row', { name: /GA4.*needs a value.*Google Analytics 4.*MISSING_VALUE/ }).waitFor()
    assert.equal(await report.getByRole('row', { name: /FB purchase/ }).count(), 0)
    await report.getByRole('button', { name: /^all/ }).click()
    await report.getByLabel('Filter the report').fill('own code')
    await report.getByRole('row', { name: /<b>own code<\/b>.*UNKNOWN_TEMPLATE/ }).waitFor()
    assert.equal(await report.getByRole('row').count(), 2)
    assert.deepEqual([await violations(page), consoleErrors], [[], []])

    assert.equal(await page.getByRole('checkbox', { name: /TikTok.*switched off/ }).isChecked(), false)
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByRole('alert').getByText('Fix 3 fields first.').waitFor()
    await page.locator('input:focus').waitFor()
    const ga = group(page, 'Google Analytics 4')
    await ga.getByText('The export does not have it.').waitFor()
    await ga.getByLabel(/^API secret/i).fill(apiSecret)
    const where = page.getByRole('region', { name: 'Where to' })
    await where.getByLabel('Name').fill('Moved shop')
    await where.getByLabel('Domain').fill('https://moved.shop.example/cart')
    await page.getByRole('button', { name: 'Show the plan' }).click()

    const plan = page.getByRole('region', { name: 'Plan', exact: true })
    await plan.getByRole('heading', { name: 'New tag Moved shop new' }).waitFor()
    await plan.getByRole('region', { name: 'Meta' }).getByText('Sealed and sent: Access token').waitFor()
    assert.deepEqual([await violations(page), consoleErrors], [[], []])
    await plan.getByRole('button', { name: 'Move in and deploy' }).click()
    await page.getByText('2 channels moved into Moved shop').waitFor()
    assert.deepEqual(await violations(page), [])
    await page.getByRole('link', { name: 'Open the channels' }).click()
    for (const name of ['Meta', 'Google Analytics 4']) await page.getByRole('link', { name }).first().waitFor()

    const { body: list } = await call<{ tags: Tag[] }>(fixture.customer, 'GET', '/tag')
    const made = list.tags.find(({ name }) => name === 'Moved shop')!
    assert.deepEqual([made.domain, made.sources], ['moved.shop.example', ['ga4']])
    const { body } = await call<{ scripts: Script[] }>(fixture.customer, 'GET', `/script?tagId=${made.tagId}`)
    const meta = body.scripts.find(({ providerId }) => providerId === 'facebook')!
    assert.deepEqual([body.scripts.length, meta.isDraft ?? false], [2, false])
    assert.equal(meta.secrets?.FACEBOOK_PIXEL_ID?.value, '1234567890')
    assert.equal(meta.secrets?.FACEBOOK_ACCESS_TOKEN?.isSet, true)
    assert.ok(meta.filter)
    assert.ok(!sent.some((line) => line.includes(canary)))
    assert.deepEqual([consoleErrors, strangers], [[], []])
    await close()
  })

  test('a saved tag keeps what it has, and a name that a channel of another provider has is refused at its field', async () => {
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathOf()}?tag=${fixture.customer.tagId}`)
    await choose(page, ['server.json', container])
    await group(page, 'Google Analytics 4').getByRole('checkbox').uncheck()
    const meta = group(page, 'Meta')
    await meta.getByText('Name and other values').click()
    await meta.getByLabel('Name').fill('TikTok')
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await meta.getByText('a channel of another provider with this name').waitFor()
    await meta.getByLabel('Name').fill('Meta of GTM')
    await page.getByRole('button', { name: 'Show the plan' }).click()
    const plan = page.getByRole('region', { name: 'Plan', exact: true })
    await plan.getByRole('region', { name: 'Meta of GTM' }).getByText('new').waitFor()
    await plan.getByRole('button', { name: 'Save as drafts' }).click()
    await page.getByText('1 channel moved into').waitFor()
    const { body } = await call<{ scripts: Script[] }>(
      fixture.customer,
      'GET',
      `/script?tagId=${fixture.customer.tagId}`,
    )
    assert.equal(body.scripts.find(({ name }) => name === 'Meta of GTM')?.isDraft, true)
    assert.ok(body.scripts.some(({ name }) => name === 'Meta'))
    assert.deepEqual(consoleErrors, [])
    await close()
  })

  test('what the server refuses stands at its field', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathOf()}?tag=${fixture.customer.tagId}`)
    const request = template('8', 'JSON HTTP request', { gallery: 'stape-io/json-http-request-tag' })
    const sink = tag('own server', 'cvt_9_8', { url: 'ftp://server.shop.example/in' }, { firing: ['form_sent'] })
    const file = exported({ customTemplate: [request], trigger: [onEvent('form_sent')], tag: [sink] })
    await choose(page, ['server.json', file])
    await page.getByRole('button', { name: 'Show the plan' }).click()
    const address = page.locator('.moveChannel').getByLabel('Address')
    await address.waitFor()
    assert.equal(await address.getAttribute('aria-invalid'), 'true')
    await page.getByText('Write a full URL: https://host/path.', { exact: true }).waitFor()
    await address.fill('https://server.shop.example/in')
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByRole('button', { name: 'Move in and deploy' }).waitFor()
    assert.equal(await page.locator('.field.invalid').count(), 0)
    await close()
  })

  test('the files for aglet apply have the chosen channels, and the tokens in a file of their own', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(pathOf())
    await choose(page, ['server.json', container])
    const where = page.getByRole('region', { name: 'Where to' })
    await where.getByLabel('Name').fill('shop')
    await where.getByLabel('Domain').fill('shop.example')
    const downloads: Download[] = []
    page.on('download', (download) => downloads.push(download))
    const second = page.waitForEvent('download', (download) => download.suggestedFilename() === 'secrets.json')
    await page.getByRole('button', { name: 'Save as files for aglet apply' }).click()
    await second
    const [config, secrets] = await Promise.all(downloads.map(textOf))
    assert.deepEqual(
      JSON.parse(config!).tags[0].scripts.map(({ name }: Script) => name),
      ['Meta', 'Google Analytics 4'],
    )
    assert.ok(!config!.includes(canary))
    assert.deepEqual(JSON.parse(secrets!), {
      'Meta.FACEBOOK_ACCESS_TOKEN': token,
      'Google Analytics 4.GOOGLE_ANALYTICS_4_API_SECRET': '',
    })
    await close()
  })

  test('a file that is no export is refused with a sentence, and another one can be chosen at once', async () => {
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(pathOf())
    const alert = page.getByRole('alert')
    const deep = `{"containerVersion":${'{"a":'.repeat(300)}1${'}'.repeat(300)}}`
    const hostile: [name: string, content: string | Buffer, says: RegExp][] = [
      ['photo.json', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]), /not JSON/],
      ['broken.json', '{"containerVersion": {\n oops', /not JSON \(line 2, column 2\)/],
      ['other.json', '{"__proto__": {"a": 1}, "name": "x"}', /not an export of Google Tag Manager.* name/],
      ['deep.json', deep, /nested deeper than 200 levels/],
      ['app.json', exported({}, 'ANDROID'), /container for android/],
      ['empty.json', '', /it is empty/],
    ]
    for (const [name, content, says] of hostile) {
      await choose(page, [name, content])
      await alert.getByText(says).waitFor()
      assert.equal(await page.getByRole('region', { name: 'Report' }).count(), 0, name)
    }
    await withFileOf(20_000_001, async (path) => {
      await page.getByLabel('File of the export').setInputFiles(path)
      await alert.getByText(/21 MB; the limit is 20 MB/).waitFor()
    })
    assert.equal(await page.getByRole('region', { name: 'Report' }).count(), 0)
    assert.deepEqual(await violations(page), [])
    await page.getByLabel('Product').selectOption('zaraz')
    await choose(page, ['server.json', container])
    await alert.getByText('Choose this product, or detect it from the file').waitFor()
    await page.getByLabel('Product').selectOption('')
    await page.getByRole('region', { name: 'Report' }).waitFor()
    assert.equal(await alert.count(), 0)
    assert.deepEqual(consoleErrors, [])
    await close()
  })

  test('a report of thousands of lines shows a hundred at a time; nothing is wider than a narrow window', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner, {
      viewport: { width: 320, height: 720 },
    })
    await go(pathOf())
    const many = Array.from({ length: 2_000 }, (_, n) => constant(`constant ${n} ${'long'.repeat(20)}`, `${n}`))
    await choose(page, ['server.json', exported({ variable: many, tag: [] })])
    const report = page.getByRole('region', { name: 'Report' })
    await report.getByRole('button', { name: 'Show 100 more' }).click()
    await report.getByText(/^constant 199 /).waitFor()
    assert.ok((await report.getByRole('row').count()) < 300)
    assert.deepEqual([await tooWide(page), await violations(page)], [[], []])
    await choose(page, ['server.json', container])
    await page.getByRole('region', { name: 'Channels' }).waitFor()
    assert.deepEqual([await tooWide(page), await violations(page)], [[], []])
    await close()
  })

  test('the walk needs no mouse, and files can be dropped on the page', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(pathOf())
    await page.evaluate(`(() => {
      const data = new DataTransfer()
      data.items.add(new File([${JSON.stringify(container)}], 'server.json', { type: 'application/json' }))
      dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
    })()`)
    await page.getByRole('region', { name: 'Report' }).waitFor()
    await page.getByRole('checkbox', { name: /^Google/ }).press('Space')
    await page.getByLabel('Domain').fill('keys.example')
    await page.getByRole('region', { name: 'Where to' }).getByLabel('Name').fill('By keys')
    await page.getByRole('button', { name: 'Show the plan' }).press('Enter')
    await page.getByRole('button', { name: 'Move in and deploy' }).press('Enter')
    await page.getByText('1 channel moved into By keys').waitFor()
    await close()
  })

  test('a viewer reads the report of an export, and cannot move it in', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, viewer)
    await go(pathsOf(fixture).team)
    const link = page.getByRole('button', { name: 'Move in' })
    assert.match((await link.getAttribute('title')) ?? '', /role editor/)
    await go(pathOf())
    await choose(page, ['server.json', container])
    const button = page.getByRole('button', { name: 'Show the plan' })
    assert.match((await button.getAttribute('title')) ?? '', /role editor/)
    await close()
  })
})
