import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { sampleNames } from '#dashboard/form/sampleEvent.ts'
import { providers } from '#providers/index.ts'
import { bundleDashboard, type DashboardBundle } from '../../scripts/dashboard.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, type DashboardFixture, fillFixture } from '../fake/dashboard.ts'
import { openDashboard, pathsOf, settled, tooWide, watch } from '../fake/dashboardBrowser.ts'
import { pseudoMarks, pseudoSource, pseudoWords } from '../fake/pseudoWords.ts'

const owner = 'jane@language.shop.example'
let fixture: DashboardFixture
let browser: Browser
let bundle: DashboardBundle
if (!noChromium) {
  const { aglet, vendors, browser: shared } = await openDashboard()
  browser = shared
  before(async () => {
    bundle = await bundleDashboard('en', [pseudoWords])
    fixture = await fillFixture(aglet, vendors, 12)
    await addPerson(fixture.customer, { name: 'Jane Doe', email: owner, role: 'owner' })
  })
}

const types: Record<string, string> = {
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}

/** Serves the page and its assets from a build with pseudo texts; API calls go to the server. */
async function speakPseudo(page: Page): Promise<void> {
  await page.route(/\/dashboard(\/|$)/, async (route) => {
    const { pathname } = new URL(route.request().url())
    const name = /\/dashboard\/(assets\/.+)$/.exec(pathname)?.[1] ?? 'index.en.html'
    const file = bundle.files.find(({ path }) => path === name)!
    const contentType = types[name.split('.').at(-1)!] ?? 'text/html'
    await route.fulfill({ body: Buffer.from(file.contents), contentType })
  })
}

/**
 * The visible texts and names that come neither from `words/` nor from data. Elements for data are marked: code, times,
 * names of objects, options of the catalogue, and a provider's field texts.
 */
const otherTexts = (page: Page, known: readonly string[]) =>
  page.evaluate<string[]>(`(() => {
    const known = ${JSON.stringify(known)}
    const data = 'code, pre, time, kbd, bdi, .brand, .rowLink, [data-from], .cell-event, .cell-answer, .fieldHelp, .providerCard'
    const isOther = (text) => /\\p{L}{3}/u.test(text) && !text.includes(${JSON.stringify(pseudoMarks.start)}) &&
      !text.includes(${JSON.stringify(pseudoMarks.end)}) && !known.some((each) => text.includes(each))
    const found = []
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT)
    while (walk.nextNode()) {
      const node = walk.currentNode
      const texts = node.nodeType === 3 ? [node.data] : ['aria-label', 'placeholder', 'alt'].map((name) => node.getAttribute(name) ?? '')
      const element = node.nodeType === 3 ? node.parentElement : node
      if (element.closest(data) || element.closest('noscript, script, style')) continue
      for (const text of texts) if (isOther(text)) found.push(element.tagName + '.' + element.className + ': ' + text.trim())
    }
    return found
  })()`)

/** Data on these pages: names and answers of the fake vendors, formats of files, the catalogue, and texts from Intl. */
function knownTexts(): string[] {
  const names = ['Jane Doe', 'shop.example', 'http', 'Büro für', 'localhost', 'HTTP 401', 'braze', ...sampleNames]
  const fields = Object.values(providers.facebook!.secrets)
  const texts = fields.flatMap(({ label, description, placeholder }) => [label, description, placeholder])
  const labels = Object.values(providers).map(({ label }) => label)
  return [...names, 'CSV', 'NDJSON', 'second', 'minute', ...labels, ...texts].filter((text) => text !== undefined)
}

test('the texts of a file of words are marked and a third longer, and its types and names stay', () => {
  const rows = (text: string) => `of: (n: number) => \`\${n}${text}\``
  const source = `export const a = { 'x-y': 'Some words', ${rows(' rows')} } as const\nexport type B = 'left'`
  const expected = `export const a = { 'x-y': "⟦Some words~~~~⟧", ${rows('⟦ rows~~⟧')} } as const\nexport type B = 'left'`
  assert.equal(pseudoSource(source), expected)
})

describe('in a language whose texts are a third longer', { skip: noChromium }, () => {
  for (const width of [1440, 320])
    test(`every text comes from words/ or is data, and nothing is wider than ${width} px`, async () => {
      const { page, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner, {
        viewport: { width, height: 900 },
      })
      await speakPseudo(page)
      const { team, tag } = pathsOf(fixture)
      const { braze, meta } = fixture.scripts
      const lists = ['', '/live', '/events', '/deliveries', '/channels', '/channels/new', '/install']
      const own = [`/channels/${braze}`, `/channels/${meta}/edit`, '/events/order-1004', '/events?name=Nothing']
      const known = knownTexts()
      const found: unknown[] = []
      for (const path of [team, ...[...lists, ...own].map((each) => tag + each)]) {
        await page.goto(fixture.aglet.origin + path)
        await settled(page)
        const [texts, wide] = [await otherTexts(page, known), await tooWide(page)]
        if (texts.length > 0 || wide.length > 0) found.push({ path, texts, wide })
      }
      assert.deepEqual(found, [])
      assert.deepEqual(consoleErrors, [])
      await close()
    })
})
