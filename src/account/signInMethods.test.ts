import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeLink, makePerson, makeSession, password } from '../../test/fake/sessionCases.ts'
import { openFormBrowser, openTestServer } from '../../test/fake/testServer.ts'
import { createPasswordHasher, type PasswordHasher } from './password.ts'
import { createTeam } from './team.ts'

/** A hash takes longer than a call on the way to the queue. */
const cost = { N: 2 ** 13, r: 8, p: 1 }

/** Has room or no room for hashes, as the test sets it. */
const roomy = createPasswordHasher({ limits: { parallel: 1, maxPerLane: 64, maxPerKey: 32 }, cost })
const full = createPasswordHasher({ limits: { parallel: 1, maxPerLane: 0, maxPerKey: 0 }, cost })
let isFull = false
const hasher = () => (isFull ? full : roomy)
const passwords: PasswordHasher = {
  hash: (...args) => hasher().hash(...args),
  fits: (...args) => hasher().fits(...args),
}
const place = await openTestServer(passwords)
after(place.close)
const { production } = place.environments
const { teamId } = await createTeam(production, 'Shop', 'operator')
const owner = await makePerson(production, 'owner@example.com')

type Answer = { status: number; error?: string; retryAfter: string | null }
async function call(method: string, path: string, body: object, session = ''): Promise<Answer> {
  const answer = await fetch(production.baseUrl + path, {
    method,
    headers: { 'content-type': 'application/json', ...(session && { authorization: `Bearer ${session}` }) },
    body: JSON.stringify(body),
  })
  const { error } = (await answer.json()) as { error?: string }
  return { status: answer.status, ...(error && { error }), retryAfter: answer.headers.get('retry-after') }
}
const signUp = (email: string) => ({ name: 'Grace Hopper', email, password })
const signIn = () => call('POST', '/session', { email: 'owner@example.com', password })

test('if too many hashes wait, pages and API return 503 with Retry-After, and count no attempt', async () => {
  const session = await makeSession(production, owner)
  const invitation = await makeLink(production, teamId)
  const page = openFormBrowser(place)
  isFull = true
  for (let time = 0; time < 7; time++) {
    for (const response of [
      await signIn(),
      await call('POST', '/person', { invitation, ...signUp('new@example.com') }),
      await call('PUT', '/person', { password: 'another horse', currentPassword: password }, session),
    ]) {
      assert.deepEqual([response.status, response.error], [503, 'OVERLOADED'])
      assert.match(`${response.retryAfter}`, /^[1-9]\d*$/)
    }
    for (const response of [
      await page.send('/v1/account/sign-in', { email: 'owner@example.com', password }),
      await page.send(invitation, signUp('page@example.com')),
    ]) {
      assert.deepEqual(
        [response.status, /The server is busy\. Try again in 5 seconds\./.test(response.text)],
        [503, true],
      )
      assert.equal(response.headers.get('retry-after'), '5')
    }
  }
  isFull = false
  assert.equal((await signIn()).status, 200)
  assert.equal((await page.send(invitation, signUp('page@example.com'))).status, 303, 'and the link is still good')
})

test('many concurrent password changes do not delay the sign-in of another person', async () => {
  const sessions = await Promise.all(
    Array.from({ length: 12 }, async (_, n) =>
      makeSession(production, await makePerson(production, `viewer${n}@example.com`)),
    ),
  )
  const done: string[] = []
  const changes = sessions.map(async (session) => {
    await call('PUT', '/person', { password: 'another horse', currentPassword: password }, session)
    done.push('change')
  })
  const signedIn = signIn().then(({ status }) => done.push(`sign-in ${status}`))
  await Promise.all([...changes, signedIn])
  const at = done.indexOf('sign-in 200')
  assert.ok(at >= 0 && at < 6, `${done}`)
})

test('after five attempts by one invitation, on the page and the API together, even a valid one must wait', async () => {
  const invitation = await makeLink(production, teamId)
  const page = openFormBrowser(place)
  const taken = signUp('owner@example.com')
  for (const _ of [1, 2, 3]) assert.equal((await page.send(invitation, taken)).status, 409)
  for (const _ of [1, 2]) assert.equal((await call('POST', '/person', { invitation, ...taken })).status, 409)
  const waits = await call('POST', '/person', { invitation, ...signUp('fresh@example.com') })
  assert.deepEqual([waits.status, waits.error, waits.retryAfter], [429, 'TOO_MANY_ATTEMPTS', '900'])
  const response = await page.send(invitation, signUp('fresh@example.com'))
  assert.deepEqual([response.status, /Try again in 15 minutes/.test(response.text)], [429, true])
  assert.equal((await page.send(await makeLink(production, teamId), signUp('other@example.com'))).status, 303)
  await place.clock.turn(15 * 60_000)
  assert.equal((await page.send(invitation, signUp('fresh@example.com'))).status, 303)
})

test('a malformed request does not count as an attempt', async () => {
  const invitation = await makeLink(production, teamId)
  const page = openFormBrowser(place)
  for (let time = 0; time < 7; time++)
    assert.equal((await page.send(invitation, { ...signUp('typo@example.com'), password: 'short' })).status, 400)
  assert.equal((await page.send(invitation, signUp('typo@example.com'))).status, 303)
})

test('a form has at most 16 KiB', async () => {
  const response = await openFormBrowser(place).send('/v1/account/sign-in', { email: 'x'.repeat(20_000), password })
  assert.equal(response.status, 413)
})
