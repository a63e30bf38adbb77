import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { until } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, type DashboardFixture, makeFixture } from '../fake/dashboard.ts'
import { openDashboard, pathsOf, settled, watch } from '../fake/dashboardBrowser.ts'

const owner = 'jane@budget.shop.example'
const mebibyte = 1_048_576
let fixture: DashboardFixture
let browser: Browser
if (!noChromium) {
  const { aglet, vendors, browser: shared } = await openDashboard()
  browser = shared
  before(async () => {
    fixture = await makeFixture(aglet, vendors)
    await addPerson(fixture.customer, { name: 'Jane Doe', email: owner, role: 'owner' })
  })
}

const openSession = (context: BrowserContext, page: Page) => context.newCDPSession(page)

/** The memory of the page's scripts after garbage collection, in MiB. */
async function heapMib(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize / mebibyte
}

/** Scrolls one screen per frame, and returns the 95th percentile of the frame times, in ms. */
const scrollFrames = (page: Page, frames: number) =>
  page.evaluate<number>(`new Promise((resolve) => {
    const times = []
    let before
    const step = (now) => {
      if (before !== undefined) times.push(now - before)
      before = now
      scrollBy(0, innerHeight)
      if (times.length < ${frames}) return requestAnimationFrame(step)
      times.sort((one, other) => one - other)
      resolve(times[Math.floor(times.length * 0.95)])
    }
    requestAnimationFrame(step)
  })`)

const eventOf = (n: number) => ({
  eventId: `e-${n}`,
  eventName: 'PageView',
  userId: `usr_${n % 50}`,
  receivedAt: 1_795_400_000_000 - n,
  caller: 'untrusted',
  counts: { delivered: 3, skipped: 1 },
})
const all = 100_000
/** More than the page requests, so that all are read soon. */
const pageRows = 10_000
const framesOfRound = 60

describe('budgets of the browser', { skip: noChromium }, () => {
  test('100,000 events are read and scrolled with at most 60 row nodes and 150 MiB', async (t) => {
    const { page, context, close } = await watch(browser, fixture.aglet.origin, owner)
    await page.route(/\/event\?/, (route) => {
      const from = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0)
      const events = Array.from({ length: pageRows }, (_, n) => eventOf(from + n))
      return route.fulfill({ json: { events, ...(from + pageRows < all && { next: `${from + pageRows}` }) } })
    })
    await page.goto(`${fixture.aglet.origin}${pathsOf(fixture).tag}/events`)
    await settled(page)
    const rowCount = async () => Number(await page.getByRole('table').getAttribute('aria-rowcount')) - 1
    for (let loaded = await rowCount(); loaded < all; loaded = await rowCount()) {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
      const before = loaded
      await until(async () => (await rowCount()) > before)
    }
    const session = await openSession(context, page)
    // Thread time instead of elapsed time, because frames are late on a busy machine.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    const spentMs = async () => {
      const { metrics } = await session.send('Performance.getMetrics')
      return 1_000 * metrics.find(({ name }) => name === 'TaskDuration')!.value
    }
    const begun = await spentMs()
    const frames: number[] = []
    for (let round = 0; round < 3; round++) {
      await page.evaluate(`scrollTo(0, ${round * 1_000_000})`)
      frames.push(await scrollFrames(page, framesOfRound))
      assert.ok((await page.locator('.listRow').count()) <= 60)
    }
    const frameMs = ((await spentMs()) - begun) / (3 * framesOfRound)
    const heap = await heapMib(session)
    t.diagnostic(
      `a frame costs ${frameMs.toFixed(1)} ms of its thread; p95 between frames ${Math.min(...frames).toFixed(1)} ms (best of 3); heap ${heap.toFixed(1)} MiB`,
    )
    assert.ok(heap <= 150, `${heap} MiB`)
    await close()
  })

  test('as many live rows as 50 a second make in five minutes grow the heap by at most 20 MiB', async (t) => {
    const { page, context, close } = await watch(browser, fixture.aglet.origin, owner)
    let sent = 0
    const messages = (count: number) => {
      const first = sent
      sent += count
      return Array.from({ length: count }, (_, n) => {
        const event = { ...eventOf(first + n), receivedAt: 1_795_400_000_000 + first + n }
        const delivery = {
          deliveryId: `d-${first + n}`,
          scriptId: 'scr_1',
          eventId: event.eventId,
          status: 'delivered',
          at: event.receivedAt,
        }
        return [
          `event: event\nid: ${first + n}\ndata: ${JSON.stringify(event)}\n\n`,
          `event: delivery\nid: ${first + n}d\ndata: ${JSON.stringify(delivery)}\n\n`,
        ].join('')
      }).join('')
    }
    // Each stream ends after its rows, and the page opens the next one.
    await page.route(/\/live\?/, (route) =>
      sent < 15_000
        ? route.fulfill({ contentType: 'text/event-stream', body: messages(sent === 0 ? 2_500 : 6_250) })
        : undefined,
    )
    await page.goto(`${fixture.aglet.origin}${pathsOf(fixture).tag}/live`)
    const session = await openSession(context, page)
    await page.getByText('e-2499', { exact: true }).waitFor()
    const before = await heapMib(session)
    await page.getByText('e-14999', { exact: true }).waitFor({ timeout: 60_000 })
    const after = await heapMib(session)
    t.diagnostic(`heap ${before.toFixed(1)} MiB, after 12,500 rows more ${after.toFixed(1)} MiB`)
    assert.ok(after - before <= 20, `${after - before} MiB`)
    await close()
  })
})
