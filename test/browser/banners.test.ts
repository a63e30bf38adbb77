import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { AdapterName } from '#contract/adapterNames.ts'
import { until } from '../fake/aglet.ts'
import { aglet, noChromium, openBrowser, openShop, type Shop, visit } from '../fake/browser.ts'
import { openEdge } from '../fake/edge.ts'

const packages = join(import.meta.dirname, '../../node_modules')
const read = (file: string) => readFileSync(join(packages, file), 'utf8')

/** The stub of a banner: it queues calls until the banner is loaded, and marks the frame that has one. */
const tcfStub = `(() => {
  const waiting = []
  window.__tcfapi = Object.assign((...call) => void waiting.push(call), { waiting })
  const frame = document.createElement('iframe')
  frame.name = '__tcfapiLocator'
  frame.hidden = true
  document.body.append(frame)
  window.loadTcf = (data) => {
    const listeners = []
    window.__tcfapi = (command, version, run) => {
      if (command !== 'addEventListener' || version !== 2) return run(null, false)
      listeners.push(run)
      run(data, true)
    }
    window.tellTcf = (next) => { for (const run of listeners) run(next, true) }
    for (const call of waiting.splice(0)) window.__tcfapi(...call)
  }
})()`

/** Waits for a state that only the page or the tag knows. */
async function untilAsync(is: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 15_000
  while (!(await is())) assert.ok(Date.now() < end, 'in time')
}

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

type Call = {
  consentCategories?: Record<string, boolean>
  consentTexts?: Record<string, unknown>
  consentState?: string
}

/** A page with the SDK and an adapter, whose banner is loaded afterwards. */
async function openPage(t: TestContext, name: AdapterName) {
  const edge = await openEdge()
  edge.adapters = { names: [name] }
  const visitor = await visit(browser, shop, edge.url)
  t.after(async () => {
    await visitor.close()
    await edge.close()
  })
  await visitor.context.route('**/tarteaucitron/**', (route) => {
    const file = new URL(route.request().url()).pathname.replace('/tarteaucitron/', 'tarteaucitronjs/')
    return route.fulfill({ contentType: file.endsWith('.css') ? 'text/css' : 'text/javascript', body: read(file) })
  })
  const page = await visitor.open('/parts?parts=stub,load')
  const answers = () => edge.to('/consent').map(({ body }) => body as Call)
  const events = () =>
    edge.to('/tag').flatMap(({ body }) => [body].flat() as { eventName: string; storage: { service?: Call } }[])
  /** The consent fields of the next event. */
  const nextEvent = async () => {
    const count = events().length
    await aglet(page, 'tag', 'ViewContent', {})
    await until(() => events().length > count)
    return events().at(-1)!.storage.service
  }
  return { page, answers, nextEvent }
}

/** Runs a script of the package in the page, whose policy allows no inline script. */
const run = (page: Page, script: string) => page.evaluate(script)

describe('a real banner', { skip: noChromium }, () => {
  test('vanilla-cookieconsent: unanswered before the answer, which goes with each event, and a withdrawal at once', async (t) => {
    const { page, answers, nextEvent } = await openPage(t, 'cookieConsent')
    await run(page, `${read('vanilla-cookieconsent/dist/cookieconsent.umd.js')};0`)
    const texts = { consentModal: { title: 'x', acceptAllBtn: 'all' }, preferencesModal: { title: 'y', sections: [] } }
    await run(
      page,
      `CookieConsent.run({ revision: 3, categories: { necessary: { readOnly: true }, analytics: {}, ads: {} },
        language: { default: 'en', translations: { en: ${JSON.stringify(texts)} } } }).then(() => 0)`,
    )
    await untilAsync(async () => (await nextEvent())?.consentState === 'unanswered')
    assert.deepEqual(answers(), [])
    await run(page, `CookieConsent.acceptCategory(['ads'])`)
    await until(() => answers().length === 1)
    const choice = { advertising: true, analytics: false, functional: false }
    const stated = { consentCategories: choice, consentTexts: { banner: 'cookieConsent', version: '3' } }
    assert.deepEqual([answers()[0]!.consentCategories, answers()[0]!.consentTexts], [choice, stated.consentTexts])
    assert.deepEqual(await nextEvent(), stated)
    await run(page, 'CookieConsent.acceptCategory([])')
    await until(() => answers().length === 2)
    assert.equal(answers()[1]!.consentCategories!.advertising, false)
  })

  test('tarteaucitron: the answers to its services become categories', async (t) => {
    const { page, answers, nextEvent } = await openPage(t, 'tarteaucitron')
    await run(page, `window.tarteaucitronForceCDN = '/tarteaucitron/'; window.tarteaucitronForceLanguage = 'en'; 0`)
    await run(page, `${read('tarteaucitronjs/tarteaucitron.js')};window.tarteaucitron = tarteaucitron;0`)
    await run(
      page,
      `tarteaucitron.init({ privacyUrl: '', highPrivacy: true, useExternalCss: true, DenyAllCta: true, AcceptAllCta: true })
       tarteaucitron.job = ['gtag', 'facebookpixel']
       tarteaucitron.user.gtagUa = 'G-1'
       tarteaucitron.user.facebookpixelId = '1'; 0`,
    )
    await untilAsync(async () => (await nextEvent())?.consentState === 'unanswered')
    assert.deepEqual(answers(), [])
    await untilAsync(() => page.evaluate('Boolean(document.getElementById("tarteaucitronRoot"))'))
    await run(page, 'tarteaucitron.userInterface.respondAll(false); 0')
    await until(() => answers().length === 1)
    assert.deepEqual(answers()[0]!.consentCategories, { advertising: false, analytics: false, functional: false })
    await run(page, 'tarteaucitron.userInterface.respondAll(true); 0')
    await untilAsync(async () => (await nextEvent())?.consentCategories?.advertising === true)
    assert.deepEqual(answers().at(-1)!.consentCategories, { advertising: true, analytics: true, functional: false })
    assert.equal(answers().at(-1)!.consentTexts!.banner, 'tarteaucitron')
  })
})

describe('a banner of the IAB, by its stub', { skip: noChromium }, () => {
  test('is heard before and after it is loaded; its strings go with the answer and with each event', async (t) => {
    const { page, answers, nextEvent } = await openPage(t, 'tcf')
    await run(page, `${tcfStub};0`)
    assert.equal(await page.evaluate('frames.__tcfapiLocator !== undefined'), true)
    await untilAsync(() => page.evaluate('window.__tcfapi.waiting.length > 0'))
    const data = (eventStatus: string, consents: object) => ({
      ...{ tcString: 'CQ', gdprApplies: true, eventStatus, cmpId: 5, addtlConsent: '2~89~dv.' },
      purpose: { consents, legitimateInterests: { 7: true } },
    })
    await run(page, `loadTcf(${JSON.stringify(data('cmpuishown', {}))})`)
    assert.equal((await nextEvent())?.consentState, 'unanswered')
    await run(page, `tellTcf(${JSON.stringify(data('useractioncomplete', { 1: true, 3: true, 4: true }))})`)
    await until(() => answers().length === 1)
    const stated = await nextEvent()
    assert.deepEqual(stated?.consentCategories, { advertising: true, analytics: false, functional: false })
    const texts = { tcf: 'CQ', gdprApplies: true, addtlConsent: '2~89~dv.', banner: 'tcf' }
    assert.deepEqual(stated?.consentTexts, texts)
    await run(page, `tellTcf(${JSON.stringify(data('useractioncomplete', {}))})`)
    await until(() => answers().length === 2)
    assert.equal(answers()[1]!.consentCategories!.advertising, false)
  })
})
