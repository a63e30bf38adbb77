import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import type { Script } from '#contract/script.ts'
import type { Tag } from '#contract/tag.ts'
import { violations } from '../fake/accessibility.ts'
import { type Aglet, type Customer, call, makeCustomer, makeScript } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, canary, password, secretsOf } from '../fake/dashboard.ts'
import { openDashboard, watch } from '../fake/dashboardBrowser.ts'

const email = 'jane@promote.shop.example'
let aglet: Aglet
let sandbox: Customer
let production: Customer
let browser: Browser
if (!noChromium) {
  ;({ aglet, browser } = await openDashboard())
  before(async () => {
    production = await makeCustomer(aglet, 'Shop')
    sandbox = await makeCustomer(aglet, 'Shop', 'sandbox')
    for (const customer of [production, sandbox]) await addPerson(customer, { name: 'Jane Doe', email, role: 'owner' })
    await makeScript(sandbox, 'facebook', 'Meta', secretsOf('facebook', { FACEBOOK_ACCESS_TOKEN: 'of-the-sandbox' }), {
      geoRegions: 'EU',
    })
    await makeScript(sandbox, 'plausible', 'Plausible', secretsOf('plausible'))
    await call(sandbox, 'PUT', `/tag/${sandbox.tagId}`, { gpc: true, hold: 5 })
  })
}

const scriptsOf = async (customer: Customer) =>
  (await call<{ scripts: Script[] }>(customer, 'GET', `/script?tagId=${customer.tagId}`)).body.scripts

describe('promoting to production', { skip: noChromium }, () => {
  test('a tag of the sandbox is planned in production, asks for its secrets, and is applied as a whole', async () => {
    const { origin } = aglet
    const { context, page, go, consoleErrors, strangers, sent, close } = await watch(browser, origin, email)
    const headers = { origin }
    const form = { email, password }
    await context.request.post(`${origin}/sandbox/v1/account/sign-in`, { form, headers, maxRedirects: 0 })
    await go(`/sandbox/dashboard/${sandbox.teamId}/tags/${sandbox.tagId}/deployments`)
    await page.getByRole('link', { name: 'Promote to production' }).click()
    await page.getByRole('heading', { name: 'Promote to production' }).waitFor()
    await page.getByText('2 channels and the settings of the tag were read.').waitFor()
    assert.deepEqual([await violations(page), consoleErrors], [[], []])

    sent.length = 0
    await page.getByRole('button', { name: 'Show the plan' }).click()
    const meta = page.getByRole('group', { name: 'Meta', exact: true })
    await meta.getByLabel(/access token/i).fill(canary)
    await page.getByRole('button', { name: 'Show the plan' }).click()
    const plan = page.getByRole('region', { name: 'Plan' })
    await plan.getByRole('region', { name: /Shop/ }).getByText('Global Privacy Control').waitFor()
    await plan.getByRole('region', { name: 'Meta' }).getByText('EU').waitFor()
    assert.deepEqual(await scriptsOf(production), [], 'the plan changes nothing')
    await plan.getByRole('button', { name: 'Move in and deploy' }).click()
    await page.getByRole('link', { name: 'Open the channels' }).waitFor()

    const scripts = await scriptsOf(production)
    assert.deepEqual(scripts.map(({ name }) => name).sort(), ['Meta', 'Plausible'])
    assert.equal(scripts.find(({ name }) => name === 'Meta')?.geoRegions, 'EU')
    const { body: tag } = await call<Tag>(production, 'GET', `/tag/${production.tagId}`)
    assert.deepEqual([tag.gpc, tag.hold], [true, 5])
    assert.equal(sent.filter((line) => / .*\/v1\/config /.test(line) && line.startsWith('POST')).length, 1)
    assert.ok(
      sent.every((line) => !line.includes(canary)),
      'the secret leaves the browser sealed',
    )
    assert.ok(
      sent.every((line) => !/^(POST|PUT|PATCH|DELETE) \S+\/sandbox\//.test(line)),
      'the sandbox is only read',
    )
    assert.deepEqual([consoleErrors, strangers], [[], []])
    await close()
  })

  test('without a session in the sandbox the page says so, and reads nothing of it', async () => {
    const { page, go, close } = await watch(browser, aglet.origin, email)
    await go(`/dashboard/${production.teamId}/move-in?sandbox=${sandbox.teamId}.${sandbox.tagId}`)
    await page.getByText('You are not signed in to the sandbox').waitFor()
    await close()
  })
})
