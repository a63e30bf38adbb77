import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makePerson, makeSession, password } from '../../test/fake/sessionCases.ts'
import { openFormBrowser } from '../../test/fake/testServer.ts'
import { openSandboxLink } from './person.ts'
import { openSandboxAccounts } from './sandboxAccounts.ts'
import { cookies, linkPath, openLinkServer, otherPassword, signInPath } from './sandboxLinks.fixture.ts'
import { findSession } from './session.ts'
import { createSignInLink } from './signInLink.ts'

const { checked, openLinkPerson, passwords, place, production, sandbox, sessionIn, signIn } = await openLinkServer()
after(place.close)

test('somebody who owns only one of the two accounts cannot link them, and is not told which password was wrong', async () => {
  const { link, state, sandboxEmail } = await openLinkPerson()
  const answers = [
    await link({ password: 'wrong' }),
    await link({ currentPassword: 'wrong' }),
    await link({ email: 'nobody@sandbox.example' }),
    await link({ password, currentPassword: otherPassword }),
  ]
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([403]))
  assert.equal(new Set(answers.map(({ body }) => JSON.stringify([body.error, body.message]))).size, 1)
  assert.equal(await state(), 'notLinked')
  const thief = openFormBrowser(place)
  await makePerson(production, 'thief@example.com')
  await signIn(thief, 'thief@example.com')
  const taken = { email: sandboxEmail, password: 'guessed horse', currentPassword: password }
  assert.equal((await thief.call('POST', linkPath, taken)).status, 403)
})

test('a person without a password in production, as the operator of a link, cannot link', async () => {
  const { sandboxEmail } = await openLinkPerson()
  const operator = openFormBrowser(place)
  await operator.send((await createSignInLink(production, production.baseUrl)).url, {})
  const answer = await operator.call('POST', linkPath, {
    email: sandboxEmail,
    password: otherPassword,
    currentPassword: 'x',
  })
  assert.equal(answer.status, 403)
})

test('a stolen proof is worth nothing for another person, in another person’s row, or in production itself', async () => {
  const [person, thief] = [await openLinkPerson(), await openLinkPerson()]
  await person.link()
  const link = openSandboxLink(await person.stored(), production.keys)!
  const accounts = openSandboxAccounts({ ...sandbox, passwords })
  assert.ok(await accounts.signIn(person.personId, link, 'a test'))
  assert.equal(await accounts.signIn(thief.personId, link, 'a test'), undefined)
  assert.equal(await accounts.signIn(person.personId, { ...link, personId: thief.sandboxId }, 'a test'), undefined)
  assert.equal(await accounts.signIn(person.personId, { ...link, personId: 'per_nobody' }, 'a test'), undefined)
  const byProduction = openSandboxAccounts({ ...production, passwords })
  assert.equal(await byProduction.signIn(person.personId, { ...link, personId: person.personId }, 'a test'), undefined)
  const { sealed } = await person.stored()
  const row = { ...(await thief.stored()), sealed: sealed! }
  assert.throws(() => openSandboxLink(row, production.keys))
})

test('every sign-in makes new sessions: those that a stranger has planted in the browser are not taken over', async () => {
  const { email, sandboxId, link } = await openLinkPerson()
  await link()
  const [thiefId, thiefSandboxId] = [
    await makePerson(production, 'fixes@example.com'),
    await makePerson(sandbox, 'fixes@sandbox.example'),
  ]
  const planted = [await makeSession(production, thiefId), await makeSession(sandbox, thiefSandboxId)] as const
  const browser = openFormBrowser(place)
  browser.jar.set(cookies.production, { name: 'aglet_session', value: planted[0], path: '/v1' })
  browser.jar.set(cookies.sandbox, { name: 'aglet_sandbox_session', value: planted[1], path: '/sandbox/v1' })
  await signIn(browser, email)
  assert.equal(await sessionIn(browser, 'sandbox'), sandboxId)
  assert.ok(!planted.includes(browser.jar.get(cookies.production)!.value))
  assert.ok(!planted.includes(browser.jar.get(cookies.sandbox)!.value))
  assert.equal((await findSession(sandbox, planted[1]))?.person.personId, thiefSandboxId, 'nor given to the person')
})

test('another site can neither link, nor end a link, nor sign in to both', async () => {
  const { email, sandboxEmail, browser, link, state } = await openLinkPerson()
  await link()
  const body = JSON.stringify({ email: sandboxEmail, password: otherPassword, currentPassword: password })
  const json = { 'content-type': 'application/json' }
  for (const headers of [
    { 'aglet-session': '1', origin: 'https://evil.example', ...json },
    { origin: place.origin, ...json },
    { 'aglet-session': '1', origin: place.origin, 'sec-fetch-site': 'cross-site', ...json },
  ]) {
    assert.equal((await browser.go(linkPath, { method: 'DELETE', headers })).status, 401)
    assert.equal((await browser.go(linkPath, { method: 'POST', headers, body })).status, 401)
  }
  assert.equal(await state(), 'linked')
  const victim = openFormBrowser(place)
  const forged = await victim.send(signInPath, { email, password }, { origin: 'https://evil.example' })
  assert.deepEqual([forged.status, victim.jar.size], [403, 0])
})

test('a sign-in checks one password, whether or not the person is linked, and a refused one asks the sandbox nothing', async () => {
  const [linked, unlinked] = [await openLinkPerson(), await openLinkPerson()]
  await linked.link()
  const asked: string[] = []
  const { store } = sandbox
  const person = store.accounts.person
  store.accounts.person = (personId) => {
    asked.push(personId)
    return person(personId)
  }
  const work = async (email: string, given: string) => {
    checked.length = asked.length = 0
    await signIn(openFormBrowser(place), email, given)
    return [[...checked], [...asked]]
  }
  try {
    const refused = [
      await work(linked.email, 'wrong'),
      await work(unlinked.email, 'wrong'),
      await work('nobody@example.com', 'wrong'),
    ]
    for (const each of refused) assert.deepEqual(each, [['production sign-in'], []])
    assert.deepEqual((await work(unlinked.email, password))[0], ['production sign-in'])
    assert.deepEqual(await work(linked.email, password), [['production sign-in'], [linked.sandboxId]])
  } finally {
    store.accounts.person = person
  }
  checked.length = 0
  await unlinked.link({ currentPassword: 'wrong', email: 'nobody@sandbox.example' })
  const wrong = [...checked]
  checked.length = 0
  await unlinked.link()
  assert.deepEqual([wrong, [...checked]], [wrong, wrong])
  assert.deepEqual(wrong, ['production change', 'sandbox sign-in'])
})

test('guesses by the link count with those of the sign-in of the sandbox and with the changes of the person', async () => {
  const guessed = await openLinkPerson()
  const there = () =>
    openFormBrowser(place).send('/sandbox/v1/account/sign-in', { email: guessed.sandboxEmail, password: 'wrong' })
  for (let time = 0; time < 3; time++) assert.equal((await there()).status, 403)
  for (let time = 0; time < 2; time++) assert.equal((await guessed.link({ password: 'wrong' })).status, 403)
  assert.equal((await there()).status, 429)
  const waits = await guessed.link()
  assert.equal(waits.status, 429)

  const own = await openLinkPerson()
  const change = () => own.browser.call('PUT', '/v1/person', { password: 'a third horse', currentPassword: 'wrong' })
  for (let time = 0; time < 3; time++) assert.equal((await change()).status, 403)
  for (let time = 0; time < 2; time++) assert.equal((await own.link({ currentPassword: 'wrong' })).status, 403)
  assert.deepEqual([(await change()).status, (await own.link()).status], [429, 429])
})
