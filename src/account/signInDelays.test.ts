import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makePerson, makeSession, password } from '../../test/fake/sessionCases.ts'
import { openFormBrowser, openTestServer } from '../../test/fake/testServer.ts'
import { findSession, sessionIdOf } from './session.ts'

const place = await openTestServer()
after(place.close)
const { production } = place.environments
const { clock } = place
const minuteMs = 60_000

type Attempt = { email: string; from: string; given?: string; device?: string | undefined }

/** `in`, `refused`, or the seconds to wait. */
const attempt = ({ email, from, given = 'wrong', device }: Attempt): Promise<'in' | 'refused' | number> =>
  production.trySignIn({ email, password: given }, from, device).then(
    () => 'in' as const,
    ({ fault, headers }) => (fault === 'signInRefused' ? 'refused' : Number(headers['retry-after'])),
  )
const address = (n: number) => `203.0.${n >> 8}.${n & 255}`

/** A person, and the browser in which the person has signed in on the page. */
async function openPerson(email: string) {
  const personId = await makePerson(production, email)
  const browser = openFormBrowser(place)
  const signIn = (given = password) => browser.send('/v1/account/sign-in', { email, password: given })
  assert.equal((await signIn()).status, 303)
  const kept = (name: string) => browser.jar.get(`${name} /v1`)?.value
  return { personId, browser, signIn, device: () => kept('aglet_device'), session: () => kept('aglet_session') }
}

test('wrong passwords from one address do not keep the person out at another', async () => {
  const email = 'elsewhere@example.com'
  await makePerson(production, email)
  for (let time = 0; time < 8; time++) await attempt({ email, from: address(1) })
  assert.equal(await attempt({ email, from: address(2), given: password }), 'in')
})

test('from one address the attempts for an e-mail wait longer and longer, also if nobody has it', async () => {
  for (const email of ['slow@example.com', 'nobody@example.com']) {
    if (email.startsWith('slow')) await makePerson(production, email)
    const from = address(email.length)
    for (let time = 0; time < 5; time++) assert.equal(await attempt({ email, from }), 'refused')
    const waits: number[] = []
    for (let time = 0; time < 16; time++) {
      const wait = await attempt({ email, from })
      assert.ok(typeof wait === 'number', `${wait}`)
      waits.push(wait)
      await clock.turn(wait * 1_000)
      assert.equal(await attempt({ email, from }), 'refused')
    }
    assert.deepEqual(waits.slice(0, 5), [1, 4, 9, 16, 25])
    assert.deepEqual(waits.slice(-2), [180, 180])
  }
})

test('guesses from many addresses are bounded, and the person signs in meanwhile on a device where they did before', async () => {
  const email = 'spread@example.com'
  const { signIn, device } = await openPerson(email)
  let guesses = 0
  for (let at = 0; at < 120; at++) {
    for (const n of [0, 1, 2, 3])
      if ((await attempt({ email, from: address(1_000 + 4 * at + n) })) === 'refused') guesses++
    await clock.turn(minuteMs / 2)
    if (at % 40 === 0) assert.equal((await signIn()).status, 303)
  }
  assert.ok(guesses >= 10 && guesses < 80, `${guesses} guesses in an hour`)
  assert.equal(await attempt({ email, from: '127.0.0.1', given: password, device: device() }), 'in')
  assert.equal(
    typeof (await attempt({ email, from: address(9_999), given: password })),
    'number',
    'an unknown device waits',
  )
})

test('a person signs in on a known device behind an address that has used up its attempts', async () => {
  const email = 'crowd@example.com'
  const { device } = await openPerson(email)
  for (let n = 0; n < 31; n++) await attempt({ email: `guess${n}@example.com`, from: address(3) })
  assert.equal(typeof (await attempt({ email, from: address(3), given: password })), 'number')
  assert.equal(await attempt({ email, from: address(3), given: password, device: device() }), 'in')
})

test('on a known device guesses are slowed down too, and never stop the person for longer than a minute', async () => {
  const email = 'stolen@example.com'
  const { device } = await openPerson(email)
  const from = address(4)
  let guesses = 0
  for (let second = 0; second < 3_600; second += 10) {
    if ((await attempt({ email, from, device: device() })) === 'refused') guesses++
    await clock.turn(10_000)
  }
  assert.ok(guesses < 80, `${guesses} guesses in an hour`)
  await clock.turn(minuteMs)
  assert.equal(await attempt({ email, from, given: password, device: device() }), 'in')
})

test('a device is known for its own people alone, and four of them', async () => {
  const [first, second] = [await openPerson('first@example.com'), await openPerson('second@example.com')]
  const isKnown = async (email: string, device: string | undefined, n: number) => {
    for (let time = 0; time < 31; time++) await attempt({ email: `guess${n}-${time}@example.com`, from: address(n) })
    return (await attempt({ email, from: address(n), given: password, device })) === 'in'
  }
  assert.equal(await isKnown('second@example.com', first.device(), 10), false)
  assert.equal(await isKnown('first@example.com', `${first.device()!.slice(0, -3)}AAA`, 11), false)
  for (const email of ['second@example.com', 'third@example.com', 'fourth@example.com']) {
    if (!email.startsWith('second')) await makePerson(production, email)
    assert.equal((await first.browser.send('/v1/account/sign-in', { email, password })).status, 303)
  }
  for (const [n, email] of ['first', 'second', 'third', 'fourth'].entries())
    assert.equal(await isKnown(`${email}@example.com`, first.device(), 20 + n), true, email)
  assert.ok(second.device() && first.device()!.length < 500)
})

test('a device is forgotten with the session that was ended elsewhere, and with the password until it signs in again', async () => {
  const email = 'revoked@example.com'
  const [lost, other] = [await openPerson(email), openFormBrowser(place)]
  const isKnown = async (device: string | undefined, n: number) => {
    for (let time = 0; time < 31; time++) await attempt({ email: `guess${n}-${time}@example.com`, from: address(n) })
    return (await attempt({ email, from: address(n), given: password, device })) === 'in'
  }
  assert.equal(await isKnown(lost.device(), 30), true)
  const { session } = (await findSession(production, lost.session()!))!
  const elsewhere = await makeSession(production, lost.personId)
  const ended = await fetch(`${production.baseUrl}/session/${sessionIdOf(session)}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${elsewhere}` },
  })
  assert.equal(ended.status, 200)
  assert.equal(await isKnown(lost.device(), 31), false)

  assert.equal((await other.send('/v1/account/sign-in', { email, password })).status, 303)
  const stale = other.jar.get('aglet_device /v1')!.value
  const change = { password: 'another horse', currentPassword: password }
  assert.equal((await other.call('PUT', '/v1/person', change)).status, 200)
  await other.send('/v1/account/sign-in', { email, password: 'another horse' })
  const fresh = other.jar.get('aglet_device /v1')!.value
  for (let time = 0; time < 31; time++) await attempt({ email: `guess-${time}@example.com`, from: address(40) })
  const given = 'another horse'
  assert.equal(typeof (await attempt({ email, from: address(40), given, device: stale })), 'number')
  assert.equal(await attempt({ email, from: address(40), given, device: fresh }), 'in')
})
