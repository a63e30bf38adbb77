import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import { makeCustomer, makeScript, openAglet, settledJourney, sinkAt, until } from '../fake/aglet.ts'
import { noChromium, openBrowser } from '../fake/browser.ts'
import { openVendor } from '../fake/vendor.ts'
import { blockOf, fill } from './blocks.ts'

describe('docs/sdk.md', { skip: noChromium }, () => {
  test('a page with the block of the document sends its event once the banner says the answer of the document', async () => {
    const aglet = await openAglet('walk-page', { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1' })
    const sink = await openVendor()
    const customer = await makeCustomer(aglet, 'A shop')
    await makeScript(customer, 'eventSink', 'warehouse', sinkAt(`${sink.url}/in`))
    const head = fill(blockOf('docs/sdk.md', '<script>'), { 'https://d.example.com': customer.tagUrl })
    const answer = blockOf('docs/sdk.md', "aglet('consent'")
    const page = `<!doctype html><title>Shop</title>${head}<button id="agree">Agree</button>
      <script>document.getElementById('agree').onclick = () => { ${answer} }</script>`
    const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(page))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const browser = await openBrowser()
    after(async () => {
      await browser.close()
      await sink.close()
      server.close()
    })
    const tab = await browser.newPage()
    const sent: string[] = []
    tab.on('request', (request) => sent.push(new URL(request.url()).pathname))
    const loaded = tab.waitForResponse((response) => response.url().endsWith('/load'))
    await tab.goto(`http://localhost:${(server.address() as AddressInfo).port}/`)
    await loaded
    await tab.waitForFunction('!Array.isArray(aglet.q)')
    assert.deepEqual(
      sent.filter((path) => path.endsWith('/tag')),
      [],
    )
    assert.equal(await tab.evaluate('localStorage.length'), 0)

    await tab.click('#agree')
    await until(() => sink.got.length > 0)
    const { payload } = sink.got[0]!.json as { payload: { eventName: string; eventId: string } }
    assert.equal(payload.eventName, 'PageView')
    const { deliveries } = await settledJourney(customer, payload.eventId)
    assert.equal(deliveries[0]?.status, 'delivered')
  })
})
