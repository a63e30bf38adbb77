import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Deployment, DeploymentDetail } from '#contract/deployment.ts'
import type { Script } from '#contract/script.ts'
import { violations } from '../fake/accessibility.ts'
import { call, until } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, type DashboardFixture, makeFixture } from '../fake/dashboard.ts'
import { openDashboard, pathsOf, tooWide, watch } from '../fake/dashboardBrowser.ts'

const owner = 'jane@notlive.shop.example'
let fixture: DashboardFixture
let browser: Browser
if (!noChromium) {
  const { aglet, vendors, browser: shared } = await openDashboard()
  browser = shared
  before(async () => {
    fixture = await makeFixture(aglet, vendors)
    await addPerson(fixture.customer, { name: 'Jane Doe', email: owner, role: 'owner' })
  })
}

const readScript = async (scriptId: string) => (await call<Script>(fixture.customer, 'GET', `/script/${scriptId}`)).body
const patch = (scriptId: string, body: object) => call(fixture.customer, 'PATCH', `/script/${scriptId}`, body)
const newest = async (): Promise<DeploymentDetail> => {
  const { customer } = fixture
  const tag = `/tag/${customer.tagId}/deployment`
  const { body } = await call<{ deployments: Deployment[] }>(customer, 'GET', `${tag}?limit=1`)
  return (await call<DeploymentDetail>(customer, 'GET', `${tag}/${body.deployments[0]!.number}`)).body
}
const notice = (page: Page) => page.getByRole('region', { name: 'not live yet' })

describe('what is saved and not live', { skip: noChromium }, () => {
  test('stands on the channel page with both values, is counted in the header, and is discarded there', async () => {
    const meta = fixture.scripts.meta!
    const draft = { consentCategory: 'analytics', geoRegions: 'DE,FR', shouldDeploy: false }
    await patch(meta, draft)
    const { page, go, consoleErrors, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/channels/${meta}`)
    await notice(page).getByText('2 saved values are not live yet.').waitFor()
    await notice(page).getByText('Saved: From Germany and France.').waitFor()
    await notice(page).getByText('Live: From everywhere.').waitFor()
    const link = page.getByRole('link', { name: '1 not live yet' })
    await link.waitFor()
    assert.deepEqual(await violations(page), [])
    await page.setViewportSize({ width: 320, height: 640 })
    assert.deepEqual(await tooWide(page), [])
    await page.setViewportSize({ width: 1440, height: 900 })
    await notice(page).getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('dialog').getByText('Meta changed').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
    await notice(page).waitFor({ state: 'detached' })
    await link.waitFor({ state: 'detached' })
    assert.equal((await readScript(meta)).geoRegions, undefined)
    assert.deepEqual(consoleErrors, [])
    await close()
  })

  test('stands beside the live category on the consent page, and the sentences say which is which', async () => {
    const meta = fixture.scripts.meta!
    const live = await readScript(meta)
    await patch(meta, { consentCategory: 'analytics', shouldDeploy: false })
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/consent`)
    const row = page.getByRole('row', { name: /Meta/ })
    await row.getByText('not live yet').waitFor()
    await row.getByText('live', { exact: true }).waitFor()
    const sentences = page.getByRole('region', { name: 'What each consent allows' })
    await sentences.getByText(/Visitors who allow analytics: sent to .*Meta \(not live yet\)/).waitFor()
    await sentences.getByText(/Visitors who allow advertising: sent to .*Meta \(until the change is live\)/).waitFor()
    assert.equal(live.consentCategory ?? 'advertising', 'advertising')
    await call(fixture.customer, 'DELETE', `/tag/${fixture.customer.tagId}/draft`)
    await close()
  })

  test('is not published by a save of another setting, in the form of the channel and on the consent page', async () => {
    const { meta, ga } = fixture.scripts
    await patch(meta!, { geoRegions: 'DE', shouldDeploy: false })
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/channels/${meta}/edit`)
    await page.getByRole('textbox', { name: 'Name' }).fill('Meta renamed')
    await page.getByRole('button', { name: 'Save and deploy' }).click()
    await page.waitForURL(/\/channels\/scr_[^/]+$/)
    const byForm = await newest()
    assert.deepEqual(
      byForm.values.scripts.map(({ values }) => values.map(({ name }) => name)),
      [['name']],
    )
    assert.deepEqual(
      (await readScript(meta!)).notLive?.map(({ name }) => name),
      ['geoRegions'],
    )
    await go(`${pathsOf(fixture).tag}/consent`)
    await page
      .getByRole('radio', { name: /^Google Analytics 4 needs/, disabled: false, checked: false })
      .first()
      .check()
    await page.getByRole('button', { name: 'Save and deploy' }).click()
    await page.getByText('Saved and live.').waitFor()
    const byMatrix = await newest()
    assert.deepEqual(
      byMatrix.values.scripts.map(({ scriptId, values }) => [scriptId, values.map(({ name }) => name)]),
      [[ga, ['consentCategory']]],
    )
    await close()
  })

  test('is deployed by the button of the notice, which first lists all that goes live', async () => {
    const { meta } = fixture.scripts
    await patch(meta!, { geoRegions: 'US', shouldDeploy: false })
    const { page, go, close } = await watch(browser, fixture.aglet.origin, owner)
    await go(`${pathsOf(fixture).tag}/channels/${meta}`)
    await notice(page).getByRole('button', { name: 'Deploy' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/changed/).waitFor()
    await dialog.getByRole('button', { name: 'Deploy' }).click()
    await notice(page).waitFor({ state: 'detached' })
    await until(async () => (await readScript(meta!)).notLive === undefined)
    await close()
  })
})
