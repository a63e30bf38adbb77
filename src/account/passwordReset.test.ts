import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { StoreChange } from '#store/store.ts'
import { makePerson, makeSession, password } from '../../test/fake/sessionCases.ts'
import { openInbox } from '../../test/fake/smtpServer.ts'
import { findInData, makeTeam, openFormBrowser, openTestServer } from '../../test/fake/testServer.ts'
import { createPasswordResets, createResetLink } from './passwordReset.ts'
import { replacePerson } from './person.ts'
import { createSignInLimiter } from './signInLimiter.ts'

const inbox = await openInbox()
const place = await openTestServer(undefined, inbox.url)
after(() => Promise.all([place.close(), inbox.close()]))
const { production } = place.environments
const team = await makeTeam(production)
const next = 'a longer horse'
const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** After 16 minutes no earlier attempt counts. */
const rest = () => place.clock.turn(16 * minuteMs)

const linkIn = (text: string) => /http:\S+\/account\/\S+/.exec(text)![0]
const forgot = (email: string, headers = {}) => openFormBrowser(place).send('/v1/account/forgot', { email }, headers)
const signIn = async (email: string, secret: string, browser = openFormBrowser(place)) =>
  (await browser.send('/v1/account/sign-in', { email, password: secret, next: '' })).status
let count = 0
async function newPerson() {
  const email = `lost${++count}@example.com`
  const personId = await makePerson(production, email)
  return { email, personId }
}
async function mailedLink(email: string) {
  await rest()
  await forgot(email)
  return linkIn((await inbox.next(email)).text)
}

test('a person who forgot the password gets a link by mail, sets a new one and is signed in', async () => {
  const { email, personId } = await newPerson()
  const session = await makeSession(production, personId)
  const answer = await forgot(email.toUpperCase(), { 'accept-language': 'de' })
  assert.deepEqual([answer.status, answer.location], [303, `${place.origin}/v1/account/forgot/sent`])
  const mail = await inbox.next(email)
  assert.match(mail.subject, /^Ein neues Passwort für Aglet auf 127\.0\.0\.1:\d+$/)
  const browser = openFormBrowser(place)
  const page = await browser.go(linkIn(mail.text))
  assert.equal(page.status, 200)
  assert.equal(page.headers.get('referrer-policy'), 'same-origin')
  const done = await browser.send(linkIn(mail.text), { password: next })
  assert.deepEqual([done.status, done.location], [303, `${place.origin}/dashboard`])
  assert.equal((await browser.call('GET', '/v1/session')).status, 200)
  assert.deepEqual([await signIn(email, password), await signIn(email, next, browser)], [403, 303])
  const stolen = await fetch(`${production.baseUrl}/session`, { headers: { authorization: `Bearer ${session}` } })
  assert.equal(stolen.status, 401, 'every session from before has ended')
  assert.match((await inbox.next(email)).subject, /^Your password for Aglet at .* was changed$/)
})

test('a link that a program previews is not used up, one that was used is, and so is every other link of the person', async () => {
  const { email } = await newPerson()
  const [one, other] = [await mailedLink(email), await mailedLink(email)]
  for (let n = 0; n < 3; n++) assert.equal((await openFormBrowser(place).go(one)).status, 200)
  assert.equal((await fetch(one, { method: 'HEAD' })).status < 500, true)
  const used = await Promise.all([0, 1, 2].map(() => openFormBrowser(place).send(one, { password: next })))
  assert.deepEqual(used.map(({ status }) => status).sort(), [303, 410, 410])
  for (const link of [one, other]) {
    const late = await openFormBrowser(place).send(link, { password: 'thief of horses' })
    assert.equal(late.status, 410)
    assert.match(late.text, /Link used up/)
  }
  assert.deepEqual([await signIn(email, 'thief of horses'), await signIn(email, next)], [403, 303])
})

test('a link ends after an hour, with a changed character, and when the password or the e-mail changes otherwise', async () => {
  const { email, personId } = await newPerson()
  const link = await mailedLink(email)
  const other = await newPerson()
  const forged = [
    link.slice(0, -2),
    `${link.slice(0, -20)}${link.at(-20) === 'A' ? 'B' : 'A'}${link.slice(-19)}`,
    link.replace(personId, other.personId),
  ]
  const longer = link.replace(/\.(\d{13})\./, (_, ends) => `.${Number(ends) + hourMs}.`)
  for (const wrong of [
    ...forged,
    longer,
    link.replace(/reset\/.*/, 'reset/x'),
    link.replace(/reset\/.*/, 'reset/per_1.NaN.'),
  ])
    assert.equal((await openFormBrowser(place).go(wrong)).status, 410, wrong)
  await place.clock.turn(hourMs - 17 * minuteMs)
  assert.equal((await openFormBrowser(place).go(link)).status, 200)
  await place.clock.turn(18 * minuteMs)
  assert.equal((await openFormBrowser(place).go(link)).status, 410)
  const fresh = await mailedLink(email)
  const browser = openFormBrowser(place)
  await signIn(email, password, browser)
  const changed = await browser.send('/v1/account/password', { currentPassword: password, password: next })
  assert.equal(changed.status, 303)
  assert.equal((await openFormBrowser(place).go(fresh)).status, 410)
})

test('the answer does not tell whether somebody has the e-mail, also above the limit', async () => {
  const { email } = await newPerson()
  await rest()
  const ask = async (address: string) => {
    const { status, text, location } = await forgot(address)
    return { status, text: text.replaceAll(address, 'E'), location }
  }
  for (let n = 0; n < 4; n++) assert.deepEqual(await ask(email), await ask('nobody@example.com'))
  const waits = await ask(email)
  assert.equal(waits.status, 429)
  assert.match(waits.text, /Too many attempts\. Try again in 15 minutes\./)
  for (let n = 0; n < 3; n++) await inbox.next(email)
  assert.ok(!inbox.mails.some(({ to }) => to.includes(email) || to.includes('nobody@example.com')))
  await rest()
})

test('a form of another site asks for no link and sets no password', async () => {
  const { email } = await newPerson()
  const link = await mailedLink(email)
  for (const origin of ['https://evil.example', 'null']) {
    assert.equal((await forgot(email, { origin })).status, 403)
    const answer = await openFormBrowser(place).send(link, { password: next }, { origin })
    assert.equal(answer.status, 403)
  }
  assert.equal(await signIn(email, password), 303)
})

test('a password that is too short uses no link up, and the operator makes a link too', async () => {
  const { email } = await newPerson()
  const { baseUrl } = production
  const { url, expiresAt } = await createResetLink(production, { baseUrl, email }, { by: 'operator' })
  assert.equal(expiresAt, place.clock.now() + hourMs)
  const short = await openFormBrowser(place).send(url, { password: 'short' })
  assert.deepEqual([short.status, /Password must have 10 to 200 characters\./.test(short.text)], [400, true])
  assert.equal((await openFormBrowser(place).send(url, { password: next })).status, 303)
  await assert.rejects(createResetLink(production, { baseUrl, email: 'x@y' }, { by: 'operator' }), /No person signs in/)
})

test('a session that exists before a reset is never the session after it', async () => {
  const { email } = await newPerson()
  const thief = await newPerson()
  const browser = openFormBrowser(place)
  await signIn(thief.email, password, browser)
  const before = [...browser.jar.values()].find(({ name }) => name === 'aglet_session')!.value
  await browser.send(await mailedLink(email), { password: next })
  const session = [...browser.jar.values()].find(({ name }) => name === 'aglet_session')!.value
  assert.notEqual(session, before)
  const { body } = await browser.call('GET', '/v1/session')
  assert.equal((body.person as { email: string }).email, email)
})

test('a person without a team changes the password in a page, and the device stays known', async () => {
  const { email } = await newPerson()
  const browser = openFormBrowser(place)
  await signIn(email, password, browser)
  assert.match((await browser.go('/v1/account/password')).text, /Current password/)
  const wrong = await browser.send('/v1/account/password', { currentPassword: 'wrong wrong', password: next })
  assert.deepEqual([wrong.status, /The current password is wrong\./.test(wrong.text)], [403, true])
  assert.equal((await browser.send('/v1/account/password', { currentPassword: password, password: next })).status, 303)
  for (let n = 0; n < 12; n++) await signIn(email, 'wrong password')
  assert.deepEqual([await signIn(email, next), await signIn(email, next, browser)], [429, 303])
  assert.match((await openFormBrowser(place).go('/v1/account/password')).location!, /sign-in\?next=/)
  await rest()
})

test('a new e-mail is confirmed by its own mail, and the old address is told twice', async () => {
  const { email, personId } = await newPerson()
  const browser = openFormBrowser(place)
  await signIn(email, password, browser)
  const to = `new.${email}`
  await browser.call('PUT', '/v1/person', { email: to, currentPassword: password })
  assert.match((await inbox.next(email)).subject, /^A new e-mail for your Aglet account/)
  const link = linkIn((await inbox.next(to)).text)
  assert.equal((await openFormBrowser(place).go(link)).status, 200)
  assert.equal(await signIn(to, password), 403, 'viewing the link confirms nothing')
  assert.equal((await openFormBrowser(place).send(link, {})).status, 303)
  assert.match((await inbox.next(email)).subject, /^This e-mail no longer signs in/)
  assert.deepEqual([await signIn(to, password), await signIn(email, password)], [303, 403])
  const { email: taken } = await newPerson()
  await browser.call('PUT', '/v1/person', { email: taken, currentPassword: password })
  assert.match((await inbox.next(to)).subject, /^A new e-mail for your Aglet account/)
  assert.ok(!inbox.mails.some((mail) => mail.to.includes(taken)), 'an e-mail of somebody else gets no mail')
  assert.ok(personId)
})

test('an invitation is mailed to its address, in one mail that names the team', async () => {
  const body = { role: 'viewer', email: 'new@example.com' }
  const answer = await fetch(`${production.baseUrl}/invitation`, {
    method: 'POST',
    headers: { authorization: `Bearer ${team.token}`, 'team-id': team.teamId, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { url, isMailed } = (await answer.json()) as { url: string; isMailed: boolean }
  assert.equal(isMailed, true)
  const mail = await inbox.next('new@example.com')
  assert.ok(mail.text.includes('“Shop”') && mail.text.includes(url))
  assert.ok(!mail.subject.includes(url.slice(-20)))
})

test('the name of a team is no link in the mail of an invitation', async () => {
  const named = 'Prize at https://evil.example/x or win@evil.example'
  await production.store.write([{ put: 'teamName', teamId: team.teamId, name: named }])
  await production.mailInvitation({
    teamId: team.teamId,
    to: 'ann@example.com',
    url: 'https://a.example/x',
    language: 'en',
  })
  const { text, html } = await inbox.next('ann@example.com')
  for (const body of [text, html]) {
    assert.ok(body.includes('Prize at'))
    assert.doesNotMatch(body, /evil\.example|https:\/\/evil|win@evil/)
  }
})

test('no link, e-mail or password of a reset is logged or stored in plain', async () => {
  const { email } = await newPerson()
  const link = await mailedLink(email)
  const secret = link.slice(link.lastIndexOf('.') + 1)
  await openFormBrowser(place).go(link)
  await openFormBrowser(place).send(link, { password: 'unheard-of horse' })
  const texts = [email, secret, 'unheard-of horse']
  assert.deepEqual(findInData(place, texts), [])
  for (const text of texts) assert.ok(!JSON.stringify(place.lines).includes(text), text)
})

test('a sign-in with a password that another process resets meanwhile is refused, and leaves no session', async () => {
  const { email, personId } = await newPerson()
  const deps = production
  const link = await mailedLink(email)
  let isReset = false
  // The other process resets the password between the check of the old one and the session.
  const write = async (changes: readonly StoreChange[]) => {
    if (!isReset && changes.some((each) => 'account' in each && 'add' in each.account)) {
      isReset = true
      await openFormBrowser(place).send(link, { password: next })
    }
    await deps.store.write(changes)
  }
  const store = new Proxy(deps.store, { get: (of, name) => (name === 'write' ? write : Reflect.get(of, name)) })
  const passwords = { fits: async () => true }
  const trySignIn = createSignInLimiter({ ...deps, store, passwords })
  await assert.rejects(trySignIn({ email, password }, '192.0.2.8'), { fault: 'signInRefused' })
  assert.equal(isReset, true)
  assert.equal((await deps.store.accounts.sessionsOf(personId)).length, 1, 'that of the reset alone')
  assert.equal(await signIn(email, next), 303)
})

test('two processes that take one link at the same moment set one password, and the other is refused', async () => {
  const { email, personId } = await newPerson()
  const link = await mailedLink(email)
  const deps = production
  const person = (await deps.store.accounts.person(personId))!
  const ofOther = replacePerson(deps, person, { ...person, password: 'scrypt$2$8$1$AA$AA' })
  let isFirst = true
  // The other process writes between what this one has read and its own write.
  const write = async (changes: readonly StoreChange[]) => {
    if (isFirst && changes.some((each) => 'account' in each && 'put' in each.account)) {
      isFirst = false
      await deps.store.write(ofOther)
    }
    await deps.store.write(changes)
  }
  const store = new Proxy(deps.store, { get: (of, name) => (name === 'write' ? write : Reflect.get(of, name)) })
  const passwords = { hash: async () => 'scrypt$2$8$1$BB$BB', fits: async () => false }
  const { resetPassword } = createPasswordResets({ ...deps, store, passwords, mails: undefined })
  assert.equal(await resetPassword(link.split('/').at(-1)!, next, '192.0.2.7', 'en'), undefined)
  assert.equal(isFirst, false)
  assert.equal((await deps.store.accounts.person(personId))!.password, 'scrypt$2$8$1$AA$AA')
  assert.deepEqual(await deps.store.accounts.sessionsOf(personId), [], 'the one that lost signs nobody in')
  await assert.rejects(deps.store.write(ofOther), 'what was read is used up')
})
