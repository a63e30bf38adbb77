import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { type Aglet, call, freePort, makeCustomer, startAglet, stopAglet } from '../fake/aglet.ts'
import { aglet, noChromium, openBrowser, openShop, type Shop, visit } from '../fake/browser.ts'

let server: Aglet
let browser: Browser
let shop: Shop
const data = mkdtempSync(join(tmpdir(), 'aglet-cookie-'))

if (!noChromium) {
  before(async () => {
    server = await startAglet({ data, port: await freePort() })
    shop = await openShop()
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await shop?.close()
    if (server) await stopAglet(server)
    rmSync(data, { recursive: true, force: true })
  })
}

/** A tag whose domain is the host of the server, and its URL there. */
async function openTag(name: string) {
  const customer = await makeCustomer(server, name)
  const { status } = await call(customer, 'PUT', `/tag/${customer.tagId}`, { consent: 'disabled' })
  assert.equal(status, 200)
  return { ...customer, tagUrl: customer.tagUrl.replace('127.0.0.1', 'localhost') }
}

describe('two tags on one host that both name as their domain', { skip: noChromium }, () => {
  test('a browser keeps a cookie for each, and neither gets or plants the id of the other', async () => {
    const [first, second] = [await openTag('first'), await openTag('second')]
    const visitor = await visit(browser, shop, first.tagUrl)
    const page = await visitor.open('/')
    const planted = await aglet<string>(page, 'getUserId')
    const init = (tagUrl: string) =>
      page.evaluate(
        `fetch(${JSON.stringify(tagUrl)} + '/init', { credentials: 'include' }).then((answer) => answer.json())`,
      )
    await init(first.tagUrl)
    const other = await visitor.context.newPage()
    await other.goto(`${shop.origin}/thanks?tag=${second.tagUrl}`)
    const initOther = () =>
      other.evaluate<{ userId: string; isNewUser: boolean }>(
        `fetch(${JSON.stringify(second.tagUrl)} + '/init', { credentials: 'include' }).then((answer) => answer.json())`,
      )
    const greeted = await initOther()
    assert.ok(greeted.isNewUser && greeted.userId !== planted)
    assert.deepEqual((await initOther()).userId, greeted.userId, 'the cookie comes back to its own tag')
    const cookies = (await visitor.context.cookies()).filter(({ name }) => name === 'tag_user_id')
    assert.deepEqual(
      cookies.map(({ domain, path }) => [domain, path]).sort(),
      [first, second].map(({ tagId }) => ['localhost', `/t/${tagId}`]).sort(),
    )
    await visitor.close()
  })
})
