import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Browser } from 'playwright-core'
import type { BrowserChannel } from '#contract/edgeResponses.ts'
import { until } from '../fake/aglet.ts'
import { aglet, noChromium, openBrowser, openShop, type Shop, visit } from '../fake/browser.ts'
import { openEdge } from '../fake/edge.ts'

let browser: Browser
let shop: Shop
if (!noChromium) {
  before(async () => {
    browser = await openBrowser()
    shop = await openShop()
  })
  after(async () => {
    await browser?.close()
    await shop?.close()
  })
}

const all = { all: true }

/** A page with the channel, and Criteo's answer to requests for the visitor's id. */
async function open(t: TestContext, variables: Record<string, string>, answer: object) {
  const cookie = (key: string) => ({ type: 'storage', key, location: 'cookie', persist: 'edge' }) as const
  const row: BrowserChannel = {
    package: 'criteo',
    category: 'advertising',
    purchaseValueMode: 'gross',
    inPage: true,
    variables,
    rules: { capture: [cookie('crto_mapped_user_id'), cookie('crto_is_user_optout')] },
  }
  const edge = await openEdge([row])
  const visitor = await visit(browser, shop, edge.url)
  const asked: string[] = []
  await visitor.context.route('https://gum.criteo.com/**', (route) => {
    asked.push(route.request().url())
    const { searchParams } = new URL(route.request().url())
    const body = `${searchParams.get('j')}(${JSON.stringify(answer)})`
    return route.fulfill({ contentType: 'text/javascript', body })
  })
  t.after(async () => {
    await visitor.close()
    await edge.close()
    assert.deepEqual(visitor.consoleErrors, [])
  })
  const page = await visitor.open('/')
  return { page, asked, edge, cookies: () => page.evaluate<string>('document.cookie') }
}
const switchedOn = { CRITEO_CALLER_ID: '99', CRITEO_BROWSER_ID: '1' }

describe('the id of Criteo', { skip: noChromium }, () => {
  test('is asked for once the visitor agrees to be known, and goes with the events that follow', async (t) => {
    const { page, asked, edge, cookies } = await open(t, switchedOn, { status: 'OK', userid: 'gum/1' })
    await aglet(page, 'consent', all, { all: true, share_pii: false })
    await aglet(page, 'tag', 'PageView')
    assert.deepEqual(asked, [])
    await aglet(page, 'consent', all, all)
    await aglet(page, 'tag', 'PageView')
    await until(async () => (await cookies()).includes('crto_mapped_user_id=gum%2F1'))
    assert.deepEqual(asked, ['https://gum.criteo.com/sync?c=99&r=2&a=1&j=agletCriteo'])
    await aglet(page, 'tag', 'Search')
    assert.equal(asked.length, 1)
    const told = JSON.stringify(edge.to('/tag').map(({ body }) => body))
    assert.match(told, /"crto_mapped_user_id":"gum\/1"/)
    assert.match(told, /"crto_is_user_optout":"false"/)
  })

  test('of a visitor who opted out at Criteo is none, and the opt-out is kept', async (t) => {
    const { page, cookies } = await open(t, switchedOn, { status: 'OptOut' })
    await aglet(page, 'consent', all, all)
    await aglet(page, 'tag', 'PageView')
    await until(async () => (await cookies()).includes('crto_is_user_optout=true'))
    assert.doesNotMatch(await cookies(), /crto_mapped_user_id/)
  })

  test('is not asked for where the channel does not want it', async (t) => {
    const { page, asked } = await open(t, { CRITEO_CALLER_ID: '99' }, { status: 'OK', userid: 'gum-1' })
    await aglet(page, 'consent', all, all)
    await aglet(page, 'tag', 'PageView')
    assert.deepEqual(asked, [])
  })
})
