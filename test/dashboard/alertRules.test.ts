import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { usualAlertRules } from '#contract/alertKinds.ts'
import type { AlertRule } from '#contract/alertRule.ts'
import type { ContactPoint } from '#contract/contactPoint.ts'
import { violations } from '../fake/accessibility.ts'
import { type Aglet, type Customer, call, makeCustomer, until } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson } from '../fake/dashboard.ts'
import { openDashboard, tooWide, watch } from '../fake/dashboardBrowser.ts'

const email = 'jane@alertrules.shop.example'
let aglet: Aglet
let customer: Customer
let browser: Browser
if (!noChromium) {
  ;({ aglet, browser } = await openDashboard())
  before(async () => {
    customer = await makeCustomer(aglet, 'Shop')
    await addPerson(customer, { name: 'Jane Doe', email, role: 'owner' })
  })
}
const rulesOf = async () => (await call<{ alertRules: AlertRule[] }>(customer, 'GET', '/alert-rule')).body.alertRules

describe('the alerts page', { skip: noChromium }, () => {
  test('a person adds a contact point in German and the usual rules, mutes one and removes it, on a small screen too', async () => {
    const { page, go, consoleErrors, close } = await watch(browser, aglet.origin, email, { locale: 'de-DE' })
    await go(`/dashboard/${customer.teamId}/alerts`)
    const rules = page.getByRole('region', { name: 'Regeln', exact: true })
    const usual = rules.getByRole('button', { name: 'Die üblichen Regeln anlegen' })
    await usual.waitFor()
    assert.equal(await usual.getAttribute('title'), 'Legen Sie zuerst eine Kontaktstelle an.')
    await page.getByRole('button', { name: 'Kontaktstelle anlegen' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Bereitschaft')
    await dialog.getByLabel('Art').selectOption('pagerDuty')
    await dialog.getByLabel('Integrationsschlüssel').fill('a'.repeat(32))
    assert.deepEqual(await violations(page), [])
    await dialog.getByRole('button', { name: 'Speichern' }).click()
    await dialog.waitFor({ state: 'detached' })
    const { contactPoints } = (await call<{ contactPoints: ContactPoint[] }>(customer, 'GET', '/contact-point')).body
    assert.deepEqual(
      contactPoints.map(({ name, kind, language }) => [name, kind, language]),
      [['Bereitschaft', 'pagerDuty', 'de']],
    )
    await usual.click()
    const table = rules.getByRole('table')
    await table.getByText('Purchases stopped').waitFor()
    await rules.getByRole('status').getByText('kein Ereignis mit dem Namen „Purchase“').waitFor()
    const made = await rulesOf()
    assert.deepEqual(made.map(({ name }) => name).sort(), Object.keys(usualAlertRules).sort())
    assert.ok(made.every(({ to, tagId }) => to.join() === 'Bereitschaft' && tagId === undefined))
    await usual.waitFor({ state: 'detached' })
    const row = table.getByRole('row', { name: /Consent fell/ })
    await row.getByRole('button', { name: 'Einen Tag stumm' }).click()
    await row.getByText('stumm bis').waitFor()
    await page.getByRole('button', { name: 'Alle Regeln einen Tag stumm' }).click()
    const muted = page.getByRole('status').filter({ hasText: 'Alle Regeln sind stumm bis' })
    await muted.waitFor()
    await page.setViewportSize({ width: 320, height: 640 })
    assert.deepEqual([await tooWide(page), await violations(page)], [[], []])
    await muted.getByRole('button', { name: 'Alle wieder senden' }).click()
    await muted.waitFor({ state: 'detached' })
    await row.getByRole('button', { name: 'Entfernen' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Entfernen' }).click()
    await until(async () => (await rulesOf()).length === made.length - 1)
    assert.deepEqual(consoleErrors, [])
    await close()
  })
})
