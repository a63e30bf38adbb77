import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { password } from '../../test/fake/sessionCases.ts'
import { openFormBrowser } from '../../test/fake/testServer.ts'
import { createEmailLink } from './emailChange.ts'
import { createResetLink } from './passwordReset.ts'
import { cookies, linkPath, openLinkServer, otherPassword } from './sandboxLinks.fixture.ts'
import { findSession } from './session.ts'

const { openLinkPerson, place, production, sandbox, sessionIn, signIn } = await openLinkServer()
after(place.close)
const byOperator = { by: 'operator' }

test('after a person has linked both accounts, the form of production signs in to both, each by a cookie of its own', async () => {
  const { email, sandboxId, personId, link, state, opensBoth } = await openLinkPerson()
  assert.deepEqual([await opensBoth(), await state()], [false, 'notLinked'])
  const answer = await link()
  assert.deepEqual([answer.status, answer.body.sandbox], [200, 'linked'])
  assert.deepEqual([await opensBoth(), await state()], [true, 'linked'])
  const browser = openFormBrowser(place)
  const lines = (await signIn(browser, email)).headers.getSetCookie()
  const line = lines.find((each) => each.startsWith('aglet_sandbox_session='))
  assert.match(
    `${line}`,
    /^aglet_sandbox_session=[\w-]{43}; Path=\/sandbox\/v1; Max-Age=1209600; HttpOnly; SameSite=Lax$/,
  )
  const secrets = Object.values(cookies).map((name) => browser.jar.get(name)!.value)
  assert.notEqual(secrets[0], secrets[1])
  assert.equal(await findSession(production, secrets[1]!), undefined)
  assert.equal(await findSession(sandbox, secrets[0]!), undefined)
  const { body } = await browser.call('GET', '/sandbox/v1/session')
  assert.equal((body.person as { personId: string }).personId, sandboxId)
  assert.notEqual(sandboxId, personId)
})

test('only the form of production opens both: not that of the sandbox, the API or a link for a new password', async () => {
  const { email, sandboxEmail, link } = await openLinkPerson()
  await link()
  const there = openFormBrowser(place)
  await there.send('/sandbox/v1/account/sign-in', { email: sandboxEmail, password: otherPassword })
  assert.deepEqual(
    [...there.jar.keys()].filter((name) => name.startsWith('aglet_session')),
    [],
  )
  const api = openFormBrowser(place)
  assert.equal((await api.call('POST', '/v1/session', { email, password })).status, 200)
  assert.equal(await sessionIn(api, 'sandbox'), undefined)
  const reset = await createResetLink(production, { baseUrl: production.baseUrl, email }, byOperator)
  const forgot = openFormBrowser(place)
  assert.equal((await forgot.send(reset.url, { password: 'a third horse' })).status, 303)
  assert.equal(await sessionIn(forgot, 'sandbox'), undefined)
})

test('a changed, a reset and a twice changed password of the sandbox end the link, and so does another e-mail there', async () => {
  const change = { password: 'a third horse', currentPassword: otherPassword }
  const changed = await openLinkPerson()
  await changed.link()
  await changed.setSandbox(change)
  assert.deepEqual([await changed.opensBoth(), await changed.state()], [false, 'ended'])
  await changed.setSandbox({ password: otherPassword, currentPassword: change.password })
  assert.equal(await changed.opensBoth(), false, 'the old password again is another proof')
  assert.equal((await changed.link()).status, 200)
  assert.equal(await changed.opensBoth(), true)

  const reset = await openLinkPerson()
  await reset.link()
  const { url } = await createResetLink(sandbox, { baseUrl: sandbox.baseUrl, email: reset.sandboxEmail }, byOperator)
  assert.equal((await openFormBrowser(place).send(url, { password: 'a third horse' })).status, 303)
  assert.equal(await reset.opensBoth(), false)

  const moved = await openLinkPerson()
  await moved.link()
  const row = (await sandbox.store.accounts.person(moved.sandboxId))!
  const emailKey = sandbox.keys.hashToken('e-mail\0moved@sandbox.example')
  await sandbox.store.write([{ account: { put: 'person', row: { ...row, emailKey } } }])
  assert.equal(await moved.opensBoth(), false)
})

test('a link is kept with a new name, e-mail and password of production, and ends with an unlink or a password that was forgotten', async () => {
  const person = await openLinkPerson()
  await person.link()
  const change = { name: 'Ada King', password: 'a third horse', currentPassword: password }
  assert.equal((await person.browser.call('PUT', '/v1/person', change)).body.sandbox, 'linked')
  assert.equal(await person.opensBoth(change.password), true)
  const { status } = await person.browser.call('PUT', '/v1/person', {
    email: 'king@example.com',
    currentPassword: change.password,
  })
  assert.equal(status, 200)
  const { url: confirms } = await createEmailLink(
    production,
    { baseUrl: production.baseUrl, personId: person.personId },
    byOperator,
  )
  assert.equal((await person.browser.call('POST', '/v1/person/email', { link: confirms })).status, 200)
  person.email = 'king@example.com'
  assert.equal(await person.opensBoth(change.password), true)
  const ended = await person.browser.call('DELETE', linkPath)
  assert.deepEqual([ended.status, ended.body.sandbox], [200, 'notLinked'])
  assert.equal(await person.opensBoth(change.password), false)

  const forgot = await openLinkPerson()
  await forgot.link()
  const { email } = forgot
  const { url } = await createResetLink(production, { baseUrl: production.baseUrl, email }, byOperator)
  await openFormBrowser(place).send(url, { password: 'a third horse' })
  assert.equal(await forgot.opensBoth('a third horse'), false)
})

test('signing out ends the session of its own environment alone, and the page says so', async () => {
  const { email, link, sandboxId } = await openLinkPerson()
  await link()
  const browser = openFormBrowser(place)
  await signIn(browser, email)
  const page = await browser.follow(await browser.send('/v1/account/sign-out', {}))
  assert.match(page.text, /role="status">You are signed out of production\. A session in the sandbox stays signed in\./)
  assert.deepEqual(
    [await sessionIn(browser, 'production'), await sessionIn(browser, 'sandbox')],
    [undefined, sandboxId],
  )
  const there = await browser.follow(await browser.send('/sandbox/v1/account/sign-out', {}))
  assert.match(there.text, /You are signed out of the sandbox/)
  assert.equal(await sessionIn(browser, 'sandbox'), undefined)
})

test('every page of the account leads to the other environment', async () => {
  for (const [path, to] of [
    ['/v1/account/sign-in', '/sandbox/dashboard'],
    ['/sandbox/v1/account/sign-in', '/dashboard'],
    ['/sandbox/v1/account/link/used', '/dashboard'],
  ] as const)
    assert.ok((await openFormBrowser(place).go(path)).text.includes(`<a class="switch" href="${to}">`), path)
})

test('the sandbox offers no link, and production without it offers none and signs in as ever', async () => {
  const { email, sandboxEmail, link, opensBoth } = await openLinkPerson()
  await link()
  const there = openFormBrowser(place)
  await there.send('/sandbox/v1/account/sign-in', { email: sandboxEmail, password: otherPassword })
  const body = { email, password, currentPassword: otherPassword }
  assert.equal((await there.call('POST', '/sandbox/v1/person/sandbox', body)).status, 400)
  const { person } = (await there.call('GET', '/sandbox/v1/session')).body as { person: object }
  assert.ok(!('sandbox' in person))
  const { sandboxLinks } = production
  try {
    delete production.sandboxLinks
    const alone = openFormBrowser(place)
    await alone.call('POST', '/v1/session', { email, password })
    const answer = (await alone.call('GET', '/v1/session')).body as { person: object }
    assert.ok(!('sandbox' in answer.person))
    assert.equal((await alone.call('POST', linkPath, { ...body, currentPassword: password })).status, 400)
  } finally {
    production.sandboxLinks = sandboxLinks!
  }
  assert.equal(await opensBoth(), true)
})

test('a sandbox that fails keeps nobody out of production', async () => {
  const { email, personId, link } = await openLinkPerson()
  await link()
  const { write } = sandbox.store
  sandbox.store.write = () => Promise.reject(new Error('the disk is full'))
  const browser = openFormBrowser(place)
  try {
    assert.equal((await signIn(browser, email)).status, 303)
  } finally {
    sandbox.store.write = write
  }
  assert.deepEqual([await sessionIn(browser, 'production'), await sessionIn(browser, 'sandbox')], [personId, undefined])
  const errors = place.lines.filter(({ level }) => level === 'error')
  assert.deepEqual(
    errors.map(({ message }) => message),
    ['could not sign in to the sandbox'],
  )
})
