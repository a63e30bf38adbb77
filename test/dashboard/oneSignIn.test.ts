import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { violations } from '../fake/accessibility.ts'
import { type Aglet, makeCustomer } from '../fake/aglet.ts'
import { noChromium } from '../fake/browser.ts'
import { addPerson, password } from '../fake/dashboard.ts'
import { openDashboard, watch } from '../fake/dashboardBrowser.ts'

const [email, sandboxEmail] = ['jane@onesignin.shop.example', 'jane@sandbox.onesignin.shop.example']
let aglet: Aglet
let browser: Browser
if (!noChromium) {
  ;({ aglet, browser } = await openDashboard())
  before(async () => {
    const [production, sandbox] = [await makeCustomer(aglet, 'Shop'), await makeCustomer(aglet, 'Shop', 'sandbox')]
    await addPerson(production, { name: 'Jane Doe', email, role: 'owner' })
    await addPerson(sandbox, { name: 'Jane Doe', email: sandboxEmail, role: 'owner' })
  })
}

describe('one sign-in for both environments', { skip: noChromium }, () => {
  test('a person links the sandbox, signs in once to both, signs out of one alone, and ends the link', async () => {
    const { page, go, consoleErrors, close } = await watch(browser, aglet.origin, email)
    await go('/dashboard/me')
    const panel = page.getByRole('region', { name: 'One sign-in for production and sandbox' })
    await panel.getByText('No account of the sandbox is linked.').waitFor()
    await panel.getByRole('button', { name: 'Link the sandbox' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('E-mail in the sandbox').fill(sandboxEmail)
    await dialog.getByLabel('Password in the sandbox').fill('a wrong password')
    await dialog.getByLabel('Current password').fill(password)
    assert.deepEqual(await violations(page), [])
    await dialog.getByRole('button', { name: 'Link the sandbox' }).click()
    await dialog.getByText('The e-mail or one of the two passwords is wrong.').waitFor()
    await dialog.getByLabel('Password in the sandbox').fill(password)
    await dialog.getByRole('button', { name: 'Link the sandbox' }).click()
    await panel.getByText('Your account of the sandbox is linked.').waitFor()
    assert.deepEqual([await violations(page), consoleErrors], [[], []])
    await close()

    const again = await watch(browser, aglet.origin)
    await again.go('/dashboard/me')
    await again.page.getByLabel('E-mail').fill(email)
    await again.page.getByLabel('Password').fill(password)
    await again.page.getByRole('button', { name: 'Sign in' }).click()
    await again.page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
    await again.go('/sandbox/dashboard/me')
    await again.page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
    assert.equal(await again.page.getByLabel('E-mail').first().inputValue(), sandboxEmail)
    assert.equal(await again.page.getByText('One sign-in for production and sandbox').count(), 0)

    await again.go('/dashboard/me')
    await again.page.getByRole('button', { name: 'End the link' }).click()
    await again.page.getByText('No account of the sandbox is linked.').waitFor()
    await again.page.keyboard.press('Control+k')
    await again.page.getByRole('combobox', { name: 'Search or jump' }).fill('Sign out')
    await again.page.keyboard.press('Enter')
    await again.page.getByText('You are signed out of production. A session in the sandbox stays signed in.').waitFor()
    await again.go('/sandbox/dashboard/me')
    await again.page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
    assert.deepEqual(again.consoleErrors, [])
    await again.close()
  })

  test('a browser that prefers German gets the texts of the link in German', async () => {
    const { page, go, consoleErrors, close } = await watch(browser, aglet.origin, email, { locale: 'de-DE' })
    await go('/dashboard/me')
    const panel = page.getByRole('region', { name: 'Eine Anmeldung für Produktion und Sandbox' })
    await panel.getByText('Kein Konto in der Sandbox ist verknüpft.').waitFor()
    await panel.getByRole('button', { name: 'Sandbox verknüpfen' }).click()
    await page.getByRole('dialog').getByLabel('Passwort in der Sandbox').waitFor()
    assert.deepEqual([await violations(page), consoleErrors], [[], []])
    await close()
  })
})
