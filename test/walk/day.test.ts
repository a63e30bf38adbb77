import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { call, makeCustomer, openAglet, settledJourney, until } from '../fake/aglet.ts'
import { noChromium, openBrowser } from '../fake/browser.ts'
import { addPerson, password, sendEvents, shopEvent } from '../fake/dashboard.ts'
import { settled, watch } from '../fake/dashboardBrowser.ts'
import { keyboard } from '../fake/hands.ts'
import { openVendor } from '../fake/vendor.ts'

const { press, type, visit } = keyboard

/** Chooses a radio or ticks a box from the keyboard. */
async function choose(page: Page, name: RegExp): Promise<void> {
  const option = page.getByRole('dialog').getByLabel(name)
  await option.focus()
  await page.keyboard.press('Space')
  assert.ok(await option.isChecked())
}

describe('a day in the dashboard, by the keyboard alone', { skip: noChromium }, () => {
  test('a tag, a channel, an event that is refused and sent again, an erasure, an invitation, an alert, a roll-back', async (t) => {
    const aglet = await openAglet('walk-day', { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1' })
    const warehouse = await openVendor()
    const owner = await makeCustomer(aglet, 'Spare tag')
    await addPerson(owner, { name: 'Jane Doe', email: 'jane@shop.example', role: 'owner' })
    const browser = await openBrowser()
    t.after(async () => {
      await browser.close()
      await warehouse.close()
    })
    const { page, consoleErrors, strangers } = await watch(browser, aglet.origin)
    const dialog = page.getByRole('dialog')
    const once = () => dialog.locator('.onceValue code').textContent()

    await page.goto(`${aglet.origin}/dashboard`)
    await type(page.getByLabel('E-mail'), 'jane@shop.example')
    await type(page.getByLabel('Password'), password)
    await press(page.getByRole('button', { name: 'Sign in' }))
    await page.getByRole('navigation').getByRole('link', { name: 'Install' }).waitFor()
    await settled(page)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or jump' }).waitFor()
    await page.keyboard.type('New tag')
    await page.getByRole('option', { name: 'Create a tag' }).waitFor()
    await page.keyboard.press('Enter')
    await type(page.getByRole('textbox', { name: 'Name' }), 'Day shop')
    await type(page.getByRole('textbox', { name: 'Domain' }), 'http://localhost/cart?a=1')
    await press(page.getByRole('button', { name: 'Create the tag' }))
    await page.waitForURL(/\/install$/)
    const [, tagId] = /tags\/(tag_\w+)/.exec(page.url())!
    const shop = { ...owner, tagId: tagId!, tagUrl: `${aglet.origin}/t/${tagId}` }

    await visit(page, 'Channels')
    await press(page.getByRole('link', { name: 'Add a channel' }))
    await type(page.getByRole('searchbox', { name: 'Search providers' }), 'event sink')
    await press(page.getByRole('link', { name: /Event sink/ }))
    await page.getByRole('heading', { name: /Add Event sink/ }).waitFor()
    await type(page.locator('[name=EVENT_SINK_URL]'), `${warehouse.url}/in`)
    await type(page.locator('[name=name]'), 'Warehouse')
    await press(page.getByRole('button', { name: 'Save and deploy' }))
    await page.getByRole('heading', { level: 1, name: 'Warehouse' }).waitFor()

    warehouse.answer = () => ({ status: 422, body: '{"message": "unknown item"}' })
    await sendEvents(shop, [shopEvent(4, { eventId: 'day-1', userEmail: 'customer@example.com' })])
    assert.equal((await settledJourney(shop, 'day-1')).deliveries[0]?.status, 'refused')
    await visit(page, 'Deliveries')
    await page.locator('.listRow', { hasText: 'refused' }).first().waitFor()
    warehouse.answer = () => ({})
    await press(page.getByRole('button', { name: 'Send again…' }))
    await press(dialog.getByRole('button', { name: 'Count' }))
    await press(dialog.getByRole('button', { name: 'Send 1 delivery again' }))
    await dialog.getByText('done', { exact: true }).waitFor()
    await press(dialog.getByRole('button', { name: 'Close' }).last())
    assert.ok(warehouse.got.length >= 2)

    await visit(page, 'Visitors')
    await type(page.getByLabel('E-mail'), 'customer@example.com')
    await press(page.getByRole('button', { name: 'Find' }))
    await press(page.getByRole('button', { name: 'Erase', exact: true }))
    await type(dialog.getByRole('textbox'), 'customer@example.com')
    await press(dialog.getByRole('button', { name: 'Erase', exact: true }))
    await dialog.waitFor({ state: 'detached' })
    const path = `/tag/${tagId}/event/day-1`
    await until(async () => (await call<{ isErased?: boolean }>(owner, 'GET', path)).body.isErased === true)

    await visit(page, 'Members')
    await press(page.getByRole('button', { name: 'Invite' }))
    await choose(page, /Viewer/)
    await press(dialog.getByRole('button', { name: 'Create the link' }))
    const invitation = (await once())!
    await press(dialog.getByRole('button', { name: 'Close' }))
    const guest = await browser.newPage()
    await guest.goto(invitation)
    await type(guest.getByLabel('Your name'), 'Nina New')
    await type(guest.getByLabel('E-mail'), 'nina@shop.example')
    await type(guest.getByLabel(/^A new password/), password)
    await press(guest.getByRole('button').first())
    await until(async () => {
      const { body } = await call<{ members: { name: string }[] }>(owner, 'GET', '/member')
      return body.members.some(({ name }) => name === 'Nina New')
    })

    await visit(page, 'Hooks')
    await press(page.getByRole('button', { name: 'Add a hook' }))
    await type(dialog.getByLabel('Address'), `${warehouse.url}/alerts`)
    await choose(page, /when a channel stops/)
    await press(dialog.getByRole('button', { name: 'Add', exact: true }))
    assert.match((await once())!, /^whsec_/)
    await press(dialog.getByRole('button', { name: 'Close' }))
    warehouse.answer = ({ path: asked }) => ({ status: asked === '/in' ? 401 : 200 })
    await sendEvents(shop, [shopEvent(4, { eventId: 'day-2' })])
    const alerts = () => warehouse.got.filter(({ path: asked }) => asked === '/alerts')
    await until(() => alerts().length > 0)
    assert.equal((alerts()[0]!.json as { type: string }).type, 'channel.paused')
    warehouse.answer = () => ({})

    await visit(page, 'Channels')
    await press(page.getByRole('link', { name: /Warehouse/ }))
    await press(page.getByRole('button', { name: 'Resume' }))
    await until(() => warehouse.got.filter(({ path: asked }) => asked === '/in').length >= 4)
    await press(page.getByRole('main').getByRole('link', { name: 'Settings', exact: true }))
    await type(page.locator('[name=geoRegions]'), 'US')
    await press(page.getByRole('button', { name: 'Save and deploy' }))
    await page.getByRole('heading', { level: 1, name: 'Warehouse' }).waitFor()
    await visit(page, 'Deployments')
    await press(page.getByRole('row').nth(2).getByRole('link'))
    await press(page.getByRole('button', { name: 'Make it live again' }))
    await press(dialog.getByRole('button', { name: 'Make it live again' }))
    await page.getByText('Has the state of').waitFor()
    // With the US as the only region, no event from this machine would arrive.
    await sendEvents(shop, [shopEvent(4, { eventId: 'day-3' })])
    assert.equal((await settledJourney(shop, 'day-3')).deliveries[0]?.status, 'delivered')
    assert.deepEqual([consoleErrors, strangers], [[], []])
  })
})
