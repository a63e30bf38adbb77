import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { violations } from '../fake/accessibility.ts'
import { type Aglet, makeCustomer, openAglet } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson } from '../fake/dashboard.ts'
import { sharedBrowser, watch } from '../fake/dashboardBrowser.ts'
import { type Inbox, openInbox } from '../fake/smtpServer.ts'

const email = 'jane@shop.example'
let aglet: Aglet
let inbox: Inbox
let browser: Browser
if (!noChromium) {
  inbox = await openInbox()
  aglet = await openAglet('dashboard-forgotten', {
    AGLET_SMTP_URL: inbox.url,
    AGLET_SMTP_SENDER: 'Aglet <aglet@example.com>',
  })
  before(async () => {
    await addPerson(await makeCustomer(aglet, 'Shop'), { name: 'Jane Doe', email, role: 'owner' })
    browser = await sharedBrowser()
  })
  after(() => inbox.close())
}

describe('a forgotten password', { skip: noChromium }, () => {
  test('a person who forgot everything but the e-mail is in again in two minutes, by the mail of a real server', async () => {
    const began = Date.now()
    const { page, go, consoleErrors, strangers, close } = await watch(browser, aglet.origin)
    await go('/dashboard')
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    assert.deepEqual(await violations(page), [])
    await page.getByLabel('E-mail').fill(email)
    await page.getByRole('button', { name: 'Mail me a link' }).click()
    await page.getByText('we have sent it a link').waitFor()
    const { text, html } = await inbox.next(email)
    const [link] = /http:\S+\/v1\/account\/reset\/\S+/.exec(text)!
    assert.ok(html.includes(link))
    await page.goto(link)
    assert.deepEqual(await violations(page), [])
    await page.getByLabel(/A new password/).fill('a longer horse battery')
    await page.getByRole('button', { name: 'Set and sign in' }).click()
    await page.waitForURL(/\/dashboard\/team_/)
    assert.ok(Date.now() - began < 120_000)
    assert.match((await inbox.next(email)).subject, /was changed$/)
    assert.deepEqual([consoleErrors, strangers], [[], []])
    await close()
  })
})
