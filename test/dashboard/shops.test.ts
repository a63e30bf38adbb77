import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import type { Tag } from '#contract/tag.ts'
import { violations } from '../fake/accessibility.ts'
import { call, until } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, type DashboardFixture, fillFixture } from '../fake/dashboard.ts'
import { openDashboard, pathsOf, tooWide, watch } from '../fake/dashboardBrowser.ts'
import { fakeOrder, shopifyOrderJson, shopifyWebhook } from '../fake/shop.ts'

const owner = 'jane@shops.shop.example'
const viewer = 'vera@shops.shop.example'
const key = 'shpss_0123456789abcdef0123456789'
const shop = 'potter.myshopify.com'
let fixture: DashboardFixture
let browser: Browser

if (!noChromium) {
  const { aglet, vendors, browser: shared } = await openDashboard()
  browser = shared
  before(async () => {
    fixture = await fillFixture(aglet, vendors, 8)
    await addPerson(fixture.customer, { name: 'Jane Doe', email: owner, role: 'owner' })
    await addPerson(fixture.customer, { name: 'Vera Viewer', email: viewer, role: 'viewer' })
  })
}

const readTag = async () => (await call<Tag>(fixture.customer, 'GET', `/tag/${fixture.customer.tagId}`)).body
const deliver = (id: string) => {
  const order = shopifyOrderJson(fakeOrder({ id, placedAt: Date.now() - 3_000 }))
  const { headers, body } = shopifyWebhook({ shop, key }, 'orders/create', order)
  return fetch(`${fixture.customer.tagUrl}/shopify/webhook`, { method: 'POST', headers, body })
}

describe('shops', { skip: noChromium }, () => {
  test('a person connects a shop, whose webhooks are taken from then on; the key leaves the browser sealed and is kept', async () => {
    const { page, go, sent, lines, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/settings`)
    const row = page.getByRole('table', { name: 'Shops' }).getByRole('row', { name: /^Shopify/ })
    await row.getByRole('button', { name: 'Connect' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Connect Shopify' })
    const save = dialog.getByRole('button', { name: 'Save the shop' })
    assert.equal(await save.getAttribute('aria-disabled'), 'true')
    assert.deepEqual(await violations(page), [])

    await dialog.getByLabel('Name of the shop').fill(shop)
    await dialog.getByLabel('Key of the webhooks').fill('too short')
    await save.press('Enter')
    await dialog.getByText(/must have at least 16 characters/).waitFor()
    await dialog.getByLabel('Key of the webhooks').fill(key)
    await save.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await row.getByText(`${fixture.customer.tagUrl}/shopify/webhook`).waitFor()
    const saved = await readTag()
    assert.deepEqual(
      saved.shops?.map(({ shop: name, secrets }) => [name, secrets]),
      [[shop, ['WEBHOOK_KEY']]],
    )
    assert.ok(saved.sources.includes('shopify'))
    await until(async () => (await deliver('5001')).status === 200)

    await row.getByRole('button', { name: 'Change' }).press('Enter')
    await dialog.getByText('It is set. Leave it empty to keep it.').first().waitFor()
    await dialog.getByLabel('An order becomes a purchase').selectOption('paid')
    await save.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    const [changed] = (await readTag()).shops ?? []
    assert.deepEqual([changed?.purchaseOn, changed?.secrets], ['paid', ['WEBHOOK_KEY']])
    assert.equal((await deliver('5002')).status, 200)
    for (const text of [...sent, ...lines]) assert.ok(!text.includes(key), text.slice(0, 200))
    assert.deepEqual(consoleErrors, [])
    await close()
  })

  test('a shop that is disconnected sends no more', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/settings`)
    const row = page.getByRole('table', { name: 'Shops' }).getByRole('row', { name: /^Shopify/ })
    await row.getByRole('button', { name: 'Disconnect' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Disconnect Shopify?' })
    await dialog.getByRole('button', { name: 'Disconnect' }).press('Enter')
    await row.getByText('not connected').waitFor()
    await until(async () => (await deliver('5003')).status === 401)
    await close()
  })

  test('a viewer sees the shops and connects none', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, viewer)
    await go(`${pathsOf(fixture).tag}/settings`)
    const button = page.getByRole('table', { name: 'Shops' }).getByRole('button', { name: 'Connect' }).first()
    assert.equal(await button.getAttribute('aria-disabled'), 'true')
    await close()
  })

  test('narrow, dark and in German nothing is cut off', async () => {
    const options = { locale: 'de-DE', viewport: { width: 320, height: 800 }, colorScheme: 'dark' } as const
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner, options)
    await go(`${pathsOf(fixture).tag}/settings`)
    await page.getByRole('button', { name: 'Anbinden' }).first().press('Enter')
    await page.getByRole('dialog', { name: 'Shopify anbinden' }).waitFor()
    assert.deepEqual(await tooWide(page), [])
    assert.deepEqual(await violations(page), [])
    assert.deepEqual(consoleErrors, [])
    await close()
  })
})
