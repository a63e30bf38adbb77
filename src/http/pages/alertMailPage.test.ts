import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newContactPoint, openContact, sealContact } from '#alert/contactPoint.ts'
import { unsubscribeUrl } from '#alert/subscription.ts'
import { findInData, makeTeam, openFormBrowser, openTestServer } from '../../../test/fake/testServer.ts'

const place = await openTestServer()
after(place.close)
const { production } = place.environments
const { keys, store } = production
const { teamId } = await makeTeam(production, 'Shop')
let count = 0
const address = 'jane@shop.example'

async function makeContact(to = address, name = `Jane ${++count}`) {
  const write = { kind: 'email', address: to } as const
  const { rows } = await store.incidents.contactPoints(teamId, { limit: 20 })
  const previous = rows.find((each) => each.name === name)
  const { row, settings } = newContactPoint({ teamId, name }, write, previous, { keys, now: 1, language: 'en' })
  const confirmed = sealContact(row, { ...settings, isConfirmed: true }, { keys })
  await store.write([{ alerting: { put: 'contactPoint', row: confirmed } }])
  const isConfirmed = async () => openContact((await store.incidents.contactPoint(teamId, name))!, { keys }).isConfirmed
  return { row, name, isConfirmed, url: unsubscribeUrl(row, to, production) }
}

test('a reader ends the alert mails to an address by the link of a mail, and a program that previews it does not', async () => {
  const contact = await makeContact()
  const other = await makeContact()
  for (let n = 0; n < 3; n++) {
    const page = await openFormBrowser(place).go(contact.url)
    assert.equal(page.status, 200)
    assert.match(page.text, /jane@shop\.example receives alerts/)
    assert.equal(page.headers.get('referrer-policy'), 'same-origin')
  }
  assert.ok((await fetch(contact.url, { method: 'HEAD' })).status < 500)
  assert.equal((await openFormBrowser(place).send(contact.url, {}, { origin: 'https://evil.example' })).status, 403)
  assert.equal(await contact.isConfirmed(), true)
  const browser = openFormBrowser(place)
  const done = await browser.send(contact.url, {})
  assert.equal(done.status, 303)
  assert.match((await browser.go(done.location!)).text, /This address no longer receives alerts/)
  assert.deepEqual([await contact.isConfirmed(), await other.isConfirmed()], [false, true])
  const late = [await browser.go(contact.url), await browser.send(contact.url, {})]
  assert.deepEqual(
    late.map(({ status }) => status),
    [410, 410],
  )
  const audit = (await store.audit(teamId, { limit: 10 }, { what: 'endAlertMails' })).rows
  assert.deepEqual(
    audit.map(({ object, before }) => [object, before]),
    [[contact.row.contactPointId, { name: contact.name, kind: 'email' }]],
  )
})

test('a forged link, one of another contact point and one of an earlier address end nothing', async () => {
  const [one, other] = [await makeContact(), await makeContact('john@shop.example')]
  const swapped = one.url.replace(one.row.contactPointId, other.row.contactPointId)
  const wrong = [
    one.url.slice(0, -2),
    swapped,
    one.url.replace(teamId, 'team_x'),
    `${production.baseUrl}/account/alert-mails/x`,
  ]
  for (const url of wrong) {
    assert.equal((await openFormBrowser(place).go(url)).status, 410, url)
    assert.equal((await openFormBrowser(place).send(url, {})).status, 410, url)
  }
  const moved = await makeContact('new@shop.example', one.name)
  assert.equal((await openFormBrowser(place).go(one.url)).status, 410)
  assert.equal((await openFormBrowser(place).go(moved.url)).status, 200)
  assert.deepEqual([await moved.isConfirmed(), await other.isConfirmed()], [true, true])
  assert.deepEqual(findInData(place, [address]), [])
})
