import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { type DashboardFixture, password } from './dashboard.ts'

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

/** Opens a browser for one person. Without an e-mail, nobody is signed in. */
export async function watch(
  browser: Browser,
  origin: string,
  email?: string,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  if (email !== undefined) {
    const form = { email, password }
    const answer = await context.request.post(`${origin}/v1/account/sign-in`, {
      form,
      headers: { origin },
      maxRedirects: 0,
    })
    if (answer.status() !== 303) throw new Error(`sign-in answered ${answer.status()}`)
  }
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
