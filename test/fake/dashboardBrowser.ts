import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { removeAglet, startNewAglet } from './aglet.ts'
import { openBrowser } from './browser.ts'
import { type DashboardFixture, openVendors, password, vendorEnvironment } from './dashboard.ts'
import { openOnce } from './openOnce.ts'

/** The browser of all files of a process. Each test opens its own contexts in it. */
export const sharedBrowser = openOnce(openBrowser, (browser) => browser.close())

/**
 * A server with its vendors for all files of a process that need no settings of their own. Each file makes its own team, and
 * its people have e-mail addresses that no other file uses.
 */
const sharedServer = openOnce(
  async () => {
    const vendors = await openVendors()
    return { vendors, aglet: await startNewAglet('dashboard', vendorEnvironment(vendors)) }
  },
  async ({ vendors, aglet }) => {
    await removeAglet(aglet)
    await vendors.close()
  },
)

export const openDashboard = async () => ({ ...(await sharedServer()), browser: await sharedBrowser() })

/** A person at the dashboard, and a record of their browser's activity. */
export type Watched = {
  context: BrowserContext
  page: Page
  /** Console errors, script errors and violations of the Content-Security-Policy. */
  consoleErrors: string[]
  /** Requests to another origin than the server's. */
  strangers: string[]
  /** Every request as text: method, URL, headers and body. */
  sent: string[]
  /** Every line of the console. */
  lines: string[]
  go(path: string): Promise<void>
  close(): Promise<void>
}

/** Browser messages about a response that a test expects to be refused. */
const ofRefusal = /Failed to load resource|net::ERR_(FAILED|INTERNET_DISCONNECTED|CONNECTION)/

/** Waits until the page of the address is shown and nothing is loading. */
export async function settled(page: Page): Promise<void> {
  await page.waitForSelector('h1, .note, dialog[open]', { state: 'attached' })
  await page.waitForSelector('.skeleton', { state: 'detached' })
}

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>
/** The cookies of each person who has signed in, by server and e-mail. A password is hashed for a fifth of a second. */
const signedIn = new Map<string, Cookies>()

/** Signs a person in, or goes on with their earlier session unless `isNew`. */
async function signIn(context: BrowserContext, origin: string, email: string, isNew: boolean): Promise<void> {
  const key = `${origin} ${email}`
  const cookies = isNew ? undefined : signedIn.get(key)
  if (cookies) return context.addCookies(cookies)
  const form = { email, password }
  const answer = await context.request.post(`${origin}/v1/account/sign-in`, {
    form,
    headers: { origin },
    maxRedirects: 0,
  })
  if (answer.status() !== 303) throw new Error(`sign-in answered ${answer.status()}`)
  if (!isNew) signedIn.set(key, await context.cookies())
}

/** `isNewSession`: for tests that end a session or compare several. */
type WatchOptions = BrowserContextOptions & { isNewSession?: boolean }

/** Opens a browser for one person. Without an e-mail, nobody is signed in. */
export async function watch(
  browser: Browser,
  origin: string,
  email?: string,
  { isNewSession = false, ...options }: WatchOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  if (email !== undefined) await signIn(context, origin, email, isNewSession)
  const page = await context.newPage()
  const watched: Watched = {
    context,
    page,
    consoleErrors: [],
    strangers: [],
    sent: [],
    lines: [],
    async go(path) {
      await page.goto(origin + path)
      await settled(page)
    },
    close: () => context.close(),
  }
  context.on('request', (request) => {
    const url = request.url()
    watched.sent.push(`${request.method()} ${url} ${JSON.stringify(request.headers())} ${request.postData() ?? ''}`)
    if (!url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url)) watched.strangers.push(url)
  })
  page.on('console', (message) => {
    watched.lines.push(message.text())
    const isBad = message.type() === 'error' || message.type() === 'warning'
    if (isBad && !ofRefusal.test(message.text())) watched.consoleErrors.push(message.text())
  })
  page.on('pageerror', (error) => watched.consoleErrors.push(`${error.message} ${error.stack}`))
  return watched
}

/** The elements that make the page wider than its window, by class and width in px. */
export const tooWide = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    return [...document.querySelectorAll('main *')]
      .map((element) => ({ element, right: element.getBoundingClientRect().right }))
      .filter(({ right }) => right > clientWidth + 1)
      .map(({ element, right }) => element.tagName + '.' + element.className + ' ' + Math.round(right - clientWidth))
  })()`)

/** The addresses of a team and its tag. */
export const pathsOf = ({ customer: { teamId, tagId } }: Pick<DashboardFixture, 'customer'>) => {
  const team = `/dashboard/${teamId}`
  return { team, tag: `${team}/tags/${tagId}` }
}
