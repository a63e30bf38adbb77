/**
 * Watches the dashboard's live page in Chromium while events arrive, and prints how its script heap grows: npm run
 * soak:dashboard [-- --minutes 30] [-- --rate 50]. It starts a server with the fake vendors. It fails if the heap grows by
 * more than 20 MiB after the first half minute, or if the page falls behind.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { CDPSession, Page } from 'playwright-core'
import { freePort, startAglet, stopAglet, until } from '../test/fake/aglet.ts'
import { noChromium, openBrowser } from '../test/fake/browser.ts'
import { addPerson, makeFixture, sendEvents, shopEvent, vendorEnvironment } from '../test/fake/dashboard.ts'
import { pathsOf, watch } from '../test/fake/dashboardBrowser.ts'
import { openVendors } from '../test/vendors/server.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    /** Events per second. */
    rate: { type: 'string', default: '50' },
  },
})
const [minutes, rate] = [Number(values.minutes), Number(values.rate)]
if (!(minutes > 0 && rate > 0)) throw new Error('--minutes and --rate are numbers greater than 0.')

const owner = 'jane@shop.example'
const mebibyte = 1_048_576
const mostGrowthMib = 20
const warmUpMs = 30_000
const sampleMs = 10_000
/** The interval of calls, each with several events. */
const sendMs = 200

/** The heap of the page's scripts after garbage collection, in MiB. */
async function heapMib(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize / mebibyte
}

/** Sends events at the rate until it is stopped; a late call catches up on missed events. */
async function keepSending(
  send: (first: number, count: number) => Promise<void>,
  signal: AbortSignal,
): Promise<number> {
  const begun = performance.now()
  let sent = 0
  while (!signal.aborted) {
    const due = Math.floor(((performance.now() - begun) / 1_000) * rate) - sent
    if (due > 0) await send(sent, due)
    sent += Math.max(due, 0)
    await wait(sendMs, undefined, { signal }).catch(() => undefined)
  }
  return sent
}

/** Prints the heap every ten seconds, and returns its growth since the end of the warm-up. */
async function measure(session: CDPSession): Promise<number> {
  const begun = performance.now()
  let first: number | undefined
  let heap = 0
  for (let at = 0; at < minutes * 60_000; at = performance.now() - begun) {
    await wait(sampleMs)
    heap = await heapMib(session)
    if (first === undefined && performance.now() - begun >= warmUpMs) first = heap
    const growth = first === undefined ? 'warming up' : `${(heap - first).toFixed(1)} MiB since the warm-up`
    const seconds = Math.round((performance.now() - begun) / 1_000)
    process.stdout.write(`${`${seconds} s`.padStart(7)}  heap ${heap.toFixed(1)} MiB  ${growth}\n`)
  }
  return heap - (first ?? heap)
}

/** Waits until the page shows the last sent event. */
const isShown = (page: Page, eventId: string) =>
  until(async () => (await page.getByText(eventId, { exact: true }).count()) > 0, 60_000)

if (noChromium) process.exit(1)
const vendors = await openVendors()
const data = mkdtempSync(join(tmpdir(), 'aglet-soak-'))
const aglet = await startAglet({ data, port: await freePort(), environment: vendorEnvironment(vendors) })
const browser = await openBrowser()
try {
  const fixture = await makeFixture(aglet, vendors)
  await addPerson(fixture.customer, { name: 'Jane Doe', email: owner, role: 'owner' })
  const { page, context, go } = await watch(browser, aglet.origin, owner)
  await go(`${pathsOf(fixture).tag}/live`)
  await page.getByText('watching').waitFor()
  const session = await context.newCDPSession(page)
  const stop = new AbortController()
  const send = (first: number, count: number) =>
    sendEvents(
      fixture.customer,
      Array.from({ length: count }, (_, n) => shopEvent(first + n)),
    )
  const sending = keepSending(send, stop.signal)
  const growth = await measure(session)
  stop.abort()
  const sent = await sending
  await isShown(page, shopEvent(sent - 1).eventId)
  process.stdout.write(`${sent} events in ${minutes} min; the heap grew by ${growth.toFixed(1)} MiB.\n`)
  if (growth > mostGrowthMib) process.exitCode = 1
} finally {
  await browser.close()
  await stopAglet(aglet)
  await vendors.close()
  rmSync(data, { recursive: true, force: true })
}
