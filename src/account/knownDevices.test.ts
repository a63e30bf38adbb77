import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { OwnDevice } from '#contract/session.ts'
import { makePerson, makeSession, password } from '../../test/fake/sessionCases.ts'
import { findInData, openFormBrowser, openTestServer } from '../../test/fake/testServer.ts'
import { deviceKind, findDevice } from './knownDevice.ts'
import { createResetLink } from './passwordReset.ts'

const place = await openTestServer()
after(place.close)
const { production } = place.environments
const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0 canary-of-the-agent'
let people = 0

type Browser = ReturnType<typeof openFormBrowser>
const signIn = (browser: Browser, email: string, given = password) =>
  browser.send('/v1/account/sign-in', { email, password: given }, { 'user-agent': agent })
const list = async (browser: Browser) =>
  (await browser.call('GET', '/v1/person/device')).body.devices as unknown as OwnDevice[]
const cookieOf = (browser: Browser) => browser.jar.get('aglet_device /v1')!.value

async function openPerson() {
  const email = `device${++people}@example.com`
  const personId = await makePerson(production, email)
  const isKnown = async (cookie: string) =>
    (await findDevice(production, await production.store.accounts.person(personId), cookie)) !== undefined
  const openBrowser = async () => {
    const browser = openFormBrowser(place)
    assert.equal((await signIn(browser, email)).status, 303)
    return browser
  }
  return { email, personId, isKnown, openBrowser }
}

test('a person sees the browsers in which they signed in, by kind, first and last time, and never an address', async () => {
  const { email, openBrowser } = await openPerson()
  const first = place.clock.now()
  const browser = await openBrowser()
  await place.clock.turn(1_000)
  const other = await openBrowser()
  await place.clock.turn(1_000)
  await signIn(browser, email)
  const [here, there] = await list(browser)
  const { deviceId, ...shown } = here!
  assert.match(deviceId, /^dev_[\w-]{22}$/)
  const kind = { browser: 'Firefox', system: 'Linux' }
  assert.deepEqual(shown, { createdAt: first, seenAt: first + 2_000, ...kind, isCurrent: true })
  assert.deepEqual([there!.createdAt, there!.seenAt, there!.isCurrent], [first + 1_000, first + 1_000, false])
  assert.deepEqual(
    (await list(other)).map(({ isCurrent }) => isCurrent),
    [false, true],
  )
  assert.deepEqual(Object.keys((await production.store.accounts.device(deviceId))!).sort(), [
    'browser',
    'createdAt',
    'deviceId',
    'expiresAt',
    'personId',
    'seenAt',
    'system',
  ])
  assert.deepEqual(findInData(place, ['canary-of-the-agent']), [])
})

test('a device that is forgotten has a worthless cookie, and its session stays open until it is ended', async () => {
  const { isKnown, openBrowser } = await openPerson()
  const [lost, other] = [await openBrowser(), await openBrowser()]
  const cookie = cookieOf(lost)
  assert.equal(await isKnown(cookie), true)
  const { deviceId } = (await list(lost)).find(({ isCurrent }) => isCurrent)!
  assert.equal((await other.call('DELETE', `/v1/person/device/${deviceId}`)).status, 200)
  assert.deepEqual([await isKnown(cookie), await isKnown(cookieOf(other))], [false, true])
  assert.equal((await lost.call('GET', '/v1/session')).status, 200)
  assert.equal((await other.call('DELETE', `/v1/person/device/${deviceId}`)).status, 404)
  assert.equal((await list(other)).length, 1)
})

test('the cookie of before the last sign-in is worth nothing either, and one of another person names no device', async () => {
  const [person, stranger] = [await openPerson(), await openPerson()]
  const browser = await person.openBrowser()
  const before = cookieOf(browser)
  await signIn(browser, person.email)
  assert.deepEqual([await person.isKnown(before), await person.isKnown(cookieOf(browser))], [false, true])
  assert.equal(await stranger.isKnown(cookieOf(browser)), false)
  const { deviceId } = (await list(browser))[0]!
  const thief = await stranger.openBrowser()
  assert.equal((await thief.call('DELETE', `/v1/person/device/${deviceId}`)).status, 404)
  assert.equal(await person.isKnown(cookieOf(browser)), true)
})

test('a person has at most 20 devices, and the one that was seen longest ago is forgotten', async () => {
  const { isKnown, openBrowser } = await openPerson()
  const cookies: string[] = []
  for (let time = 0; time < 22; time++) {
    cookies.push(cookieOf(await openBrowser()))
    await place.clock.turn(1_000)
  }
  const known = await Promise.all(cookies.map(isKnown))
  assert.deepEqual(known, [false, false, ...Array.from({ length: 20 }, () => true)])
})

test('a device is forgotten after 400 days, and every one with a new password but where it was changed', async () => {
  const { email, isKnown, openBrowser } = await openPerson()
  const old = cookieOf(await openBrowser())
  await place.clock.turn(400 * 86_400_000)
  assert.equal(await isKnown(old), false)
  const [here, there] = [await openBrowser(), await openBrowser()]
  const change = { password: 'another horse', currentPassword: password }
  assert.equal((await here.call('PUT', '/v1/person', change)).status, 200)
  assert.deepEqual(
    (await list(here)).map(({ isCurrent }) => isCurrent),
    [true],
  )
  assert.deepEqual([await isKnown(cookieOf(here)), await isKnown(cookieOf(there))], [true, false])
  const { url } = await createResetLink(production, { baseUrl: production.baseUrl, email }, { by: 'operator' })
  await openFormBrowser(place).send(url, { password: 'a third horse' })
  assert.equal(await isKnown(cookieOf(here)), false)
  assert.equal((await production.store.accounts.devicesOf((await openPerson()).personId)).length, 0)
})

test('a client that is no page lists and forgets devices, and is none itself', async () => {
  const { personId, openBrowser } = await openPerson()
  await openBrowser()
  const headers = { authorization: `Bearer ${await makeSession(production, personId)}` }
  const listed = await fetch(`${production.baseUrl}/person/device`, { headers })
  const { devices } = (await listed.json()) as { devices: OwnDevice[] }
  assert.deepEqual(
    devices.map(({ isCurrent }) => isCurrent),
    [false],
  )
  const path = `${production.baseUrl}/person/device/${devices[0]!.deviceId}`
  assert.equal((await fetch(path, { method: 'DELETE', headers })).status, 200)
  assert.deepEqual(await production.store.accounts.devicesOf(personId), [])
})

test('of a user agent only its kind is kept, from a closed list, whatever it says', () => {
  const kinds: [agent: string | undefined, browser: string, system: string][] = [
    [agent, 'Firefox', 'Linux'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/141.0 Safari/537.36 Edg/141.0',
      'Edge',
      'Windows',
    ],
    ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/141.0 Safari/537.36 OPR/122.0', 'Opera', 'Windows'],
    [
      'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 SamsungBrowser/28.0 Chrome/130.0 Safari/537.36',
      'Samsung Internet',
      'Android',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1 CriOS/141.0 Safari/604.1',
      'Chrome',
      'iOS',
    ],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1 Version/18.6 Safari/605.1', 'Safari', 'macOS'],
    ['Mozilla/5.0 (X11; CrOS x86_64 14541) AppleWebKit/537.36 Chrome/141.0 Safari/537.36', 'Chrome', 'ChromeOS'],
    ['jane@example.com <script>', 'other', 'other'],
    [`${' '.repeat(1_000_000)}Firefox/1`, 'other', 'other'],
    [undefined, 'other', 'other'],
  ]
  for (const [text, browser, system] of kinds)
    assert.deepEqual(deviceKind(text), { browser, system }, text?.slice(0, 90))
})
