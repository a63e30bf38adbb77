import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { edgeOperations } from '#contract/edgeOperations.ts'
import { buildOpenapi } from '#contract/openapi.ts'
import { buildWebhooks } from '#contract/openapiWebhooks.ts'
import { operationIds } from '#contract/operations.ts'
import { createFastify } from '#http/fastifyApp.ts'
import { referencePages } from '#http/referencePages.ts'
import { silentLog } from '#kit/log.ts'
import { noChromium, openBrowser } from '../fake/browser.ts'

const app = createFastify({ log: silentLog })
app.register(async (routes) => {
  referencePages(routes, [{ environment: 'production', path: '/docs', document: '/v1/openapi.json' }])
  routes.get('/v1/openapi.json', async () =>
    buildOpenapi({ baseUrl: 'https://aglet.example/v1', tagUrl: 'https://aglet.example/t/{tagId}', brand: 'Service' }),
  )
})
let browser: Browser
let origin: string
before(async () => {
  origin = await app.listen({ port: 0, host: '127.0.0.1' })
  if (!noChromium) browser = await openBrowser()
})
after(async () => {
  await browser?.close()
  await app.close()
})

/** The rendered page at this width, with policy violations and requests to other hosts. */
async function opened(width: number): Promise<{ page: Page; wrong: string[] }> {
  const page = await browser.newPage({ viewport: { width, height: 800 } })
  const wrong: string[] = []
  page.on('console', (said) => {
    if (said.type() === 'error') wrong.push(said.text())
  })
  page.on('pageerror', (problem) => wrong.push(problem.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) wrong.push(request.url())
  })
  await page.goto(`${origin}/docs`)
  await page.waitForSelector('.opblock')
  return { page, wrong }
}

/** Scrolls the page down by half a window; returns true at its end. */
const scrollOn = `(() => {
  const before = scrollY
  scrollBy(0, innerHeight / 2)
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(scrollY === before))))
})()`

/** The ids of operations rendered while scrolling to the end: a long list only renders its visible part. */
async function drawnOnTheWay(page: Page): Promise<ReadonlySet<string>> {
  const drawn = new Set<string>()
  for (let isEnd = false; !isEnd; ) {
    for (const id of await page.locator('.opblock').evaluateAll((all) => all.map(({ id }) => id))) drawn.add(id)
    isEnd = await page.evaluate<boolean>(scrollOn)
  }
  return drawn
}

test('the reference shows every operation, without a network and under its own policy', {
  skip: noChromium,
}, async () => {
  const { page, wrong } = await opened(1280)
  const described = [operationIds, Object.keys(edgeOperations), Object.keys(buildWebhooks())].flat()
  assert.equal((await drawnOnTheWay(page)).size, described.length)
  assert.deepEqual(wrong, [])
  await page.close()
})

test('an operation of the reference has its own address, and a narrow page does not scroll sideways', {
  skip: noChromium,
}, async () => {
  const { page, wrong } = await opened(390)
  await page.goto(`${origin}/docs#/script/createScript`)
  await page.reload()
  await page.getByText('"providerId": "eventSink"').first().waitFor()
  assert.ok(((await page.evaluate('document.documentElement.scrollWidth')) as number) <= 390, 'it scrolls sideways')
  assert.deepEqual(wrong, [])
  await page.close()
})
