import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { noChromium } from '../fake/browser.ts'
import { addPerson, type DashboardFixture, fillFixture } from '../fake/dashboard.ts'
import { openDashboard, pathsOf, watch } from '../fake/dashboardBrowser.ts'

const owner = 'jane@tree.shop.example'
let fixture: DashboardFixture
let browser: Browser
if (!noChromium) {
  const { aglet, vendors, browser: shared } = await openDashboard()
  browser = shared
  before(async () => {
    fixture = await fillFixture(aglet, vendors, 20)
    await addPerson(fixture.customer, { name: 'Jane Doe', email: owner, role: 'owner' })
  })
}

/**
 * Asserts that the page's accessibility tree, which screen readers read, has these lines in this order. A text matches a
 * whole line, without its indentation and anything after a colon.
 */
async function reads(page: Page, expected: readonly (string | RegExp)[]): Promise<void> {
  const tree = await page.locator('main').ariaSnapshot()
  const lines = tree.split('\n').map((line) => line.trim().replace(/^- '?|'?:?$/g, ''))
  let at = 0
  for (const line of expected) {
    const found = lines.findIndex((each, n) => n >= at && (typeof line === 'string' ? each === line : line.test(each)))
    assert.ok(found >= 0, `${line} is not there, or not in this order:\n${tree}`)
    at = found + 1
  }
}

/** The states of the pages for the five jobs. */
describe('the tree of a screen reader', { skip: noChromium }, () => {
  test('job 1, the first event: what is done, a button that sends one, and what became of it', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/install`)
    await reads(page, ['heading "Put Aglet into www.shop.example" [level=1]', 'button "Send test event"'])
    await page.getByRole('button', { name: 'Send test event' }).press('Enter')
    await page.locator('.tried').first().waitFor()
    await reads(page, [/^button "Send test event"/, 'status', /^paragraph: Meta delivered HTTP 200/])
    await close()
  })

  test('job 2, a channel: the search, each field by its label with its help, and both ways to save', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/channels/new`)
    await reads(page, ['heading "Add a channel" [level=1]', 'searchbox "Search providers"', /^link "P? ?Plausible/])
    await go(`${pathsOf(fixture).tag}/channels/new/plausible`)
    await reads(page, [
      ...['heading "Add Plausible" [level=1]', 'region "Connection"', 'textbox "Domain"', 'textbox "Host optional"'],
      ...['region "Settings"', /^textbox "Name"/, 'group "Required consent"', 'radio "Analytics" [checked]'],
      ...['group "Regions"', 'searchbox "Add a region"', 'region "Try it"', 'button "Preview" [disabled]'],
      ...['button "Save as draft"', 'button "Save and deploy"'],
    ])
    await close()
  })

  test('job 3, why an event did not arrive: each channel with its status, its sentence and what to change', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/events/order-1004`)
    await reads(page, [
      ...[
        'heading "Purchase" [level=1]',
        'region "Journey"',
        /^text: Accepted/,
        /^listitem: Plugins/,
        /^text: Consent/,
      ],
      ...['region "Channels"', 'button "TikTok"', 'text: "not sent: region"'],
      'paragraph: "Not sent: the channel sends only US,CA; this event came from an unknown place."',
      ...['link "Change regions"', 'button "Braze"', /^text: "waiting: key rejected/, 'link "Replace the key"'],
    ])
    await close()
  })

  test('job 4, a failing channel: its notice, its state, the errors as a table, and what sends them again', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(pathsOf(fixture).tag)
    await reads(page, [
      'list "Needs action"',
      /^text: "Braze: key rejected/,
      'link "Replace the key"',
      'table "Channels"',
    ])
    await go(`${pathsOf(fixture).tag}/channels/${fixture.scripts.braze}`)
    await reads(page, [
      ...['heading "Braze" [level=1]', 'button "Resume"', 'link "Replace the key"', 'region "State"'],
      ...[/^paragraph: key rejected/, 'term: Waiting', 'region "Errors"', 'button "Send failed again"'],
      ...['table "Errors"', 'columnheader "Message"', /^row "HTTP 401: Invalid API Key/],
    ])
    await go(`${pathsOf(fixture).tag}/replays`)
    await reads(page, [
      ...['heading "Replays" [level=1]', 'group "Events received"', /^textbox "from"/, /^textbox "to"/],
      ...['group "Which deliveries"', 'checkbox "failed" [checked]', 'group "Channels"', 'checkbox "Braze"'],
      'button "Count"',
    ])
    await close()
  })

  test('job 5, to prove and govern: who did what stands in tables, and each control names its person', async () => {
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    const { team, tag } = pathsOf(fixture)
    await go(`${team}/members`)
    await reads(page, ['button "Invite"', 'table "Members"', /^row "Jane Doe/, 'combobox "Role of Jane Doe"'])
    await go(`${team}/audit`)
    await reads(page, ['search', 'combobox "Who"', 'table "Audit"', 'columnheader "Who"', 'cell "Jane Doe"'])
    await go(`${tag}/deployments`)
    await reads(page, ['table "Deployments"', 'rowheader "Deployment 7 live"', 'cell "1 setting"'])
    await go(`${tag}/consent`)
    await reads(page, ['heading "Consent" [level=1]', /^table/, /^radio "Meta needs Advertising" \[checked\]/])
    await close()
  })
})
