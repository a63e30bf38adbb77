import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { until } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { isFullRun } from '../fake/cases.ts'
import { addPerson, type DashboardFixture, fillFixture } from '../fake/dashboard.ts'
import { openDashboard, pathsOf, watch } from '../fake/dashboardBrowser.ts'

const owner = 'jane@typing.shop.example'
let fixture: DashboardFixture
let browser: Browser
if (!noChromium) {
  const { aglet, vendors, browser: shared } = await openDashboard()
  browser = shared
  before(async () => {
    fixture = await fillFixture(aglet, vendors, 12)
    await addPerson(fixture.customer, { name: 'Jane Doe', email: owner, role: 'owner' })
  })
}

/** Random numbers below a limit, the same for each seed (mulberry32). */
function randomOf(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

const parts = [
  'a',
  'É',
  '世',
  '📈',
  '{',
  '}',
  '"',
  '\\',
  '0',
  '-',
  ',',
  ' ',
  '<b>',
  '%00',
  'https://',
  '-US-CA',
  '\u202e',
]
const textOf = (random: (limit: number) => number) =>
  Array.from({ length: 1 + random(24) }, () => parts[random(parts.length)]).join('')

/** Fails if the page hangs: within ten seconds, even on a busy machine, a timer must fire and a frame must be drawn. */
async function isAwake(page: Page): Promise<void> {
  const frame = page.evaluate('new Promise((resolve) => setTimeout(() => requestAnimationFrame(resolve), 0))')
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error('the page is frozen')), 10_000).unref())
  await Promise.race([frame, late])
}

/** Types into a field without pauses, as fast as the browser accepts it. */
async function typeFast(field: Locator, random: (limit: number) => number): Promise<void> {
  const { keyboard } = field.page()
  await field.focus()
  const press = async (...keys: string[]) => {
    for (const key of keys) await keyboard.press(key)
  }
  const steps = [
    () => keyboard.type(textOf(random)),
    () => keyboard.insertText(textOf(random)),
    () => press('Control+a', 'Delete').then(() => keyboard.type(textOf(random))),
    () => press('Control+a').then(() => keyboard.insertText(textOf(random).repeat(40))),
    () => press('Backspace', 'ArrowLeft', 'Delete', 'Home'),
    () => press('Control+z', 'Control+y'),
  ]
  for (let n = 0; n < 4; n++) await steps[random(steps.length)]!()
}

/**
 * The faults of a page. Chromium keeps the appearance of text that is replaced in the code editor with an inline style. The policy
 * blocks it, and the editor renders the text.
 */
const faultsOf = (path: string, errors: readonly string[]) =>
  path === '/playground' ? errors.filter((each) => !each.startsWith('Applying inline style')) : errors

/** Texts and fields are random: the nightly run tries more of them. */
const rounds = isFullRun ? 8 : 3

const editable = 'main :is(input:not([type=checkbox], [type=radio]), textarea, .cm-content):visible'

/** The pages with an editor or a form, and how to open the form. */
const forms: readonly (readonly [string, (page: Page) => Promise<unknown>])[] = [
  ['/playground', async () => undefined],
  ['/playground', (page) => page.getByRole('button', { name: 'Webhook' }).click()],
  ['/channels/new', async () => undefined],
  ['/channels/new/facebook', async () => undefined],
  ['/channels/new/webhook', async () => undefined],
  ['/channels/new/eventSink', async () => undefined],
  ['/settings', async () => undefined],
  ['/plugins', (page) => page.getByRole('button', { name: 'Add', exact: true }).click()],
  ['/visitors', async () => undefined],
  ['/events', async () => undefined],
  ['/replays', async () => undefined],
]

describe('fast input', { skip: noChromium }, () => {
  test('of code that is deleted and typed at once, each character stays, in both modes', async () => {
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/playground`)
    for (const mode of ['Webhook', 'Channel code']) {
      await page.getByRole('group', { name: 'Kind' }).getByRole('button', { name: mode }).click()
      const editor = page.locator('.cm-content')
      await editor.waitFor()
      for (let round = 0; round < rounds; round++) {
        const text = `round ${round} of ${mode} `.repeat(6).trim()
        await editor.focus()
        await page.keyboard.press('Control+a')
        await page.keyboard.press('Delete')
        await page.keyboard.type(text)
        await isAwake(page)
        await until(async () => (await editor.innerText()).trim() === text, 10_000)
      }
    }
    assert.deepEqual(consoleErrors, [])
    await close()
  })

  for (const [path, open] of forms)
    test(`of random text into every field of ${path} leaves the page awake and without a fault`, async () => {
      const seed = Date.now() % 1_000_000
      const random = randomOf(seed)
      const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
      await go(pathsOf(fixture).tag + path)
      await open(page)
      if (path === '/playground') await page.locator('.cm-content').waitFor()
      for (let round = 0; round < rounds; round++) {
        const fields = page.locator(editable)
        const count = await fields.count()
        assert.ok(count > 0, 'the page has fields')
        await typeFast(fields.nth(random(count)), random)
        await isAwake(page)
      }
      assert.equal(await page.getByText('This page failed').count(), 0, `seed ${seed}`)
      assert.deepEqual(faultsOf(path, consoleErrors), [], `seed ${seed}`)
      await close()
    })
})
