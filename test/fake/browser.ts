import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Browser, type BrowserContext, type Page, chromium as playwright } from 'playwright-core'

// scripts/test.ts has built the SDK; a file that is run alone builds it from its current sources
if (!process.env.TESTS_FOLDER) await import('../../scripts/bundle.ts')

const chromium = '/usr/bin/chromium'
/** The same engine without the windows around its pages, which cost more CPU time than the pages. */
const headlessShell = '/usr/bin/chromium-headless-shell'
const executablePath = process.env.CHROMIUM_PATH ?? (existsSync(headlessShell) ? headlessShell : chromium)

/** The reason why tests in a real browser are skipped; false with a browser. Where a browser is required, they fail. */
export const noChromium: string | false =
  existsSync(executablePath) || process.env.NEEDS_CHROMIUM
    ? false
    : `SKIPPED: no browser at ${executablePath}. Install one (apt-get install -y chromium-headless-shell), or name it by CHROMIUM_PATH.`
if (noChromium) process.stderr.write(`${noChromium}\n`)

export const openBrowser = (): Promise<Browser> =>
  playwright.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })

/** The stub of docs/sdk.md. */
const stub = () => /<script>\n([\s\S]+?)<\/script>/.exec(read('docs/sdk.md'))![1]!.replace(/\n\s*aglet\(.*/g, '')

export type Shop = {
  /** `http://localhost:<port>` */
  origin: string
  close(): Promise<void>
}

/** Sends a purchase and leaves the page as soon as the SDK is loaded, before the tag can answer. */
const checkout = `
  const order = new URLSearchParams(location.search).get('order')
  aglet('tag', 'Purchase', { value: 30, currency: 'EUR', orderId: order })
  addEventListener('load', () => { location.href = '/thanks' })`

const modulePage = `
  import { init } from '/browser.mjs'
  init({ tagUrl: new URLSearchParams(location.search).get('tag') })`

const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8')

/** Meta's base code from its documentation: the pixel queues calls until the script is loaded. */
const metaBaseCode = `!function(f,b,e,v,n,t,s)
{if(f.fbq)return;n=f.fbq=function(){n.callMethod?
n.callMethod.apply(n,arguments):n.queue.push(arguments)};
if(!f._fbq)f._fbq=n;n.push=n;n.loaded=!0;n.version='2.0';
n.queue=[];t=b.createElement(e);t.async=!0;
t.src=v;s=b.getElementsByTagName(e)[0];
s.parentNode.insertBefore(t,s)}(window, document,'script',
'https://connect.facebook.net/en_US/fbevents.js');
fbq('init', '42');
fbq('track', 'PageView');`

/** The calls of a shop with a data layer and Meta's pixel for one order; `gtag` as in Google's snippet. */
const taggedOrder = `
  window.dataLayer = window.dataLayer || []
  function gtag() { dataLayer.push(arguments) }
  gtag('consent', 'default', { ad_storage: 'denied', analytics_storage: 'denied', ad_user_data: 'denied' })
  dataLayer.push({ 'gtm.start': Date.now(), event: 'gtm.js' })
  dataLayer.push({ ecommerce: null })
  dataLayer.push({ event: 'purchase', ecommerce: { transaction_id: '1001', value: 30, currency: 'EUR',
    items: [{ item_id: 'sku-1', item_name: 'Shirt', price: 30, quantity: 1 }] } })
  if (window.fbq) fbq('track', 'Purchase', { value: 30, currency: 'EUR', content_ids: ['sku-1'], order_id: '1001' })`

/** Wraps the data layer as a tag manager container does. */
const containerWrap = `
  window.dataLayer = window.dataLayer || []
  window.contained = [...dataLayer]
  const push = dataLayer.push
  dataLayer.push = function () { contained.push(...arguments); return push.apply(dataLayer, arguments) }`

const scripts: Record<string, () => string> = {
  '/base.js': () => metaBaseCode,
  '/order.js': () => taggedOrder,
  '/container.js': () => containerWrap,
  '/stub.js': () => `${stub()}\naglet('init')`,
  '/checkout.js': () => checkout,
  '/module.js': () => modulePage,
  '/browser.mjs': () => read('dist/browser.mjs'),
}

/** `?tag=` is the tag's URL, `?load=` the query of `/load`. */
function html({ pathname, searchParams }: URL): string {
  const load = `<script async src="${searchParams.get('tag')}/load${searchParams.get('load') ?? ''}"></script>`
  const bodies: Record<string, string> = {
    '/checkout': `<script src="/stub.js"></script><script src="/checkout.js"></script>${load}`,
    '/module': '<script type="module" src="/module.js"></script>',
    '/thanks': 'Thank you',
    // `?parts=` names the scripts in order, `load` for the SDK
    '/parts': (searchParams.get('parts') ?? '')
      .split(',')
      .map((part) => (part === 'load' ? load.replace(' async', '') : `<script src="/${part}.js"></script>`))
      .join(''),
    '/twice': `<script src="/stub.js"></script>${load}${load}`,
  }
  const form = '<form action="/thanks"><input name="email"><input name="cardnumber"><button>Send</button></form>'
  return `<!doctype html><title>Shop</title>${bodies[pathname] ?? `<script src="/stub.js"></script>${load}`}${form}`
}

/** A Content-Security-Policy that allows only the page itself, its tag and the pixels of vendors. */
const policyOf = (tag: string | null) => {
  const origin = tag ? new URL(tag).origin : ''
  const pixels = [
    'https://amplify.outbrain.com',
    'https://analytics.tiktok.com',
    'https://bat.bing.com',
    'https://connect.facebook.net',
    'https://connect.universalads.com',
    'https://gum.criteo.com',
    'https://s.pinimg.com',
    'https://sc-static.net',
    'https://snap.licdn.com',
    'https://www.redditstatic.com',
  ].join(' ')
  const scripts = `script-src 'self' ${origin} ${pixels}`
  return `default-src 'none'; ${scripts}; connect-src ${origin || "'none'"}; form-action 'self'`
}

/** A shop under a strict Content-Security-Policy. */
export async function openShop(): Promise<Shop> {
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://shop')
    const script = scripts[url.pathname]
    response.setHeader('content-type', script ? 'text/javascript' : 'text/html')
    if (!script) response.setHeader('content-security-policy', policyOf(url.searchParams.get('tag')))
    response.end(script ? script() : html(url))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export type Visitor = {
  context: BrowserContext
  /** Errors of the browser: policy violations and script errors. */
  consoleErrors: string[]
  /** Opens a page of the shop in a new browser tab. */
  open(path: string): Promise<Page>
  close(): Promise<void>
}

/** A new visitor: a browser context without cookies and storage. */
export async function visit(browser: Browser, shop: Shop, tagUrl: string): Promise<Visitor> {
  const context = await browser.newContext()
  const consoleErrors: string[] = []
  return {
    context,
    consoleErrors,
    async open(path) {
      const page = await context.newPage()
      page.on('console', (message) => message.type() === 'error' && consoleErrors.push(message.text()))
      page.on('pageerror', (error) => consoleErrors.push(error.message))
      await page.goto(addressIn(shop, path, tagUrl))
      return page
    },
    close: () => context.close(),
  }
}

export function addressIn(shop: Shop, path: string, tagUrl: string): string {
  const url = new URL(path, shop.origin)
  url.searchParams.set('tag', tagUrl)
  return url.href
}

/** Calls the SDK in a page and waits for its result. */
export const aglet = <Answer>(page: Page, ...call: unknown[]): Promise<Answer> =>
  page.evaluate(`aglet(...${JSON.stringify(call)})`)

/** Calls the SDK without waiting. */
export const agletSoon = (page: Page, ...call: unknown[]): Promise<void> =>
  page.evaluate(`void aglet(...${JSON.stringify(call)})`)
