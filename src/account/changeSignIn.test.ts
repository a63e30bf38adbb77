import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createEmailLink, findPendingEmailChanges } from '#account/emailChange.ts'
import { makePerson, makeSession, password } from '../../test/fake/sessionCases.ts'
import { findInData, makeTeam, openFormBrowser, openTestServer } from '../../test/fake/testServer.ts'

const place = await openTestServer()
after(place.close)
const { production } = place.environments
const team = await makeTeam(production)
const minuteMs = 60_000
await makePerson(production, 'taken@example.com')

type HttpAnswer = { status: number; headers: Headers; body: Record<string, unknown>; text: string }

async function call(
  method: string,
  path: string,
  { session, body }: { session?: string; body?: unknown },
): Promise<HttpAnswer> {
  const answer = await fetch(production.baseUrl + path, {
    method,
    headers: { 'content-type': 'application/json', ...(session && { authorization: `Bearer ${session}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: JSON.parse(text), text }
}
const change = (session: string, body: object) => call('PUT', '/person', { session, body })
const signIn = async (email: string, secret = password) =>
  (await call('POST', '/session', { body: { email, password: secret } })).status
let createdCount = 0
async function newPerson() {
  const email = `person${++createdCount}@example.com`
  const personId = await makePerson(production, email)
  return { personId, email, session: await makeSession(production, personId) }
}

test('changing e-mail or password requires the current password, and changing the name does not', async () => {
  const { session } = await newPerson()
  for (const body of [{ email: 'other@example.com' }, { password: 'another horse' }]) {
    const bare = await change(session, body)
    assert.deepEqual([bare.status, bare.body.error], [400, 'BAD_REQUEST'])
    assert.match(bare.text, /"path":"currentPassword"/)
    const wrong = await change(session, { ...body, currentPassword: 'not that' })
    assert.deepEqual([wrong.status, wrong.body.error], [403, 'PASSWORD_REFUSED'])
  }
  assert.equal((await change(session, { name: 'Ada King' })).body.name, 'Ada King')
})

test('a stolen session cannot change e-mail or password', async () => {
  const { email, session } = await newPerson()
  await change(session, { email: 'thief@example.com', password: 'another horse', currentPassword: 'guessed' })
  assert.deepEqual([await signIn(email), await signIn('thief@example.com', 'another horse')], [200, 403])
})

test('after five changes, successful or refused, a person must wait, and other people need not', async () => {
  const [one, other] = [await newPerson(), await newPerson()]
  const wrong = { password: 'another horse', currentPassword: 'wrong' }
  const responses = await Promise.all(Array.from({ length: 8 }, () => change(one.session, wrong)))
  assert.deepEqual(responses.map(({ status }) => status).sort(), [403, 403, 403, 403, 403, 429, 429, 429])
  const waits = await change(one.session, { ...wrong, currentPassword: password })
  assert.deepEqual(
    [waits.status, waits.body.error, waits.headers.get('retry-after')],
    [429, 'TOO_MANY_ATTEMPTS', '900'],
  )
  assert.equal((await change(one.session, { name: 'Ada' })).status, 200, 'a name costs no hash')
  assert.equal((await change(other.session, { ...wrong, currentPassword: password })).status, 200)
  await place.clock.turn(15 * minuteMs)
  assert.equal((await change(one.session, { ...wrong, currentPassword: password })).status, 200)
})

test('a taken and a free e-mail get the same response, and neither signs in before it is confirmed', async () => {
  const shown: unknown[] = []
  for (const wanted of ['taken@example.com', 'free@example.com']) {
    const { session, email, personId } = await newPerson()
    const { status, body } = await change(session, { email: wanted, currentPassword: password })
    assert.deepEqual(
      [status, body],
      [200, { personId, name: 'Ada Lovelace', email, newEmail: wanted, sandbox: 'notLinked' }],
    )
    const { body: read } = await call('GET', '/session', { session })
    shown.push(JSON.stringify([body, read]).replaceAll(wanted, '').replaceAll(email, '').replaceAll(personId, ''))
    assert.deepEqual([await signIn(email), await signIn(wanted, 'another horse')], [200, 403])
  }
  assert.equal(shown[0], shown[1])
})

test('the store gets the same calls for a taken and a free e-mail', async () => {
  const { accounts } = production.store
  const { personByEmail } = accounts
  const { session } = await newPerson()
  let looked = 0
  accounts.personByEmail = async (key) => {
    looked++
    return personByEmail(key)
  }
  try {
    for (const email of ['taken@example.com', 'free@example.com'])
      assert.equal((await change(session, { email, currentPassword: password })).status, 200)
  } finally {
    accounts.personByEmail = personByEmail
  }
  assert.equal(looked, 0, 'nobody looks whether it is taken')
})

/** The e-mail link that the operator makes for a person. */
const linkFor = async (personId: string): Promise<string> =>
  (await createEmailLink(production, { baseUrl: production.baseUrl, personId }, { by: 'operator' })).url

test('the operator’s link confirms the e-mail once, without a session, and then that e-mail signs in', async () => {
  const { session, email, personId } = await newPerson()
  const newEmail = 'confirmed@example.com'
  await change(session, { email: newEmail, currentPassword: password })
  assert.ok((await findPendingEmailChanges(production)).some((each) => each.newEmail === newEmail))
  const [replaced, link] = [await linkFor(personId), await linkFor(personId)]
  const guest = openFormBrowser(place)
  assert.equal((await guest.go(replaced)).status, 410, 'a newer link takes its place')
  for (const _ of [1, 2]) assert.match((await guest.go(link)).text, /confirmed@example\.com signs you in/)
  assert.equal(await signIn(newEmail), 403, 'to look at it changes nothing')
  const answers = await Promise.all([1, 2, 3].map(() => guest.send(link, {})))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 410, 410])
  const confirmed = await guest.follow(answers.find(({ status }) => status === 303)!)
  assert.match(confirmed.text, /Your new e-mail signs you in now/)
  assert.deepEqual([await signIn(email), await signIn(newEmail)], [403, 200])
  assert.equal(guest.jar.size, 0, 'and nobody is signed in by it')
  assert.deepEqual((await call('GET', '/session', { session })).body.person, {
    personId,
    name: 'Ada Lovelace',
    email: newEmail,
    sandbox: 'notLinked',
  })
})

test('the API confirms an e-mail by the whole link or by its last part', async () => {
  const { session, personId } = await newPerson()
  await change(session, { email: 'api@example.com', currentPassword: password })
  const link = await linkFor(personId)
  assert.equal((await call('POST', '/person/email', { body: { link: `${link}x` } })).status, 404)
  const response = await call('POST', '/person/email', { body: { link: link.slice(link.lastIndexOf('/') + 1) } })
  assert.deepEqual([response.status, response.body], [200, { personId, email: 'api@example.com' }])
})

test('a taken e-mail gets no link, and only the operator sees the reason', async () => {
  const { session, personId } = await newPerson()
  await change(session, { email: 'taken@example.com', currentPassword: password })
  const pending = await findPendingEmailChanges(production)
  assert.equal(pending.find((each) => each.personId === personId)?.isTaken, true)
  await assert.rejects(linkFor(personId), /Another person already signs in with this e-mail/)
})

test('an e-mail that is taken after its link was made is not confirmed, and the response does not reveal why', async () => {
  const { session, personId, email } = await newPerson()
  await change(session, { email: 'late@example.com', currentPassword: password })
  const link = await linkFor(personId)
  await makePerson(production, 'late@example.com')
  const response = await call('POST', '/person/email', { body: { link } })
  assert.deepEqual([response.status, response.body.error], [404, 'EMAIL_LINK_UNKNOWN'])
  assert.equal(await signIn(email), 200)
})

test('there is no link for a person without an unconfirmed e-mail', async () => {
  const { personId } = await newPerson()
  await assert.rejects(linkFor(personId), /no unconfirmed e-mail/)
})

test('only the newest requested e-mail is pending, for seven days, and requesting the current e-mail cancels it', async () => {
  const { session, personId, email } = await newPerson()
  const newEmail = async () => {
    const { person } = (await call('GET', '/session', { session })).body as { person: { newEmail?: string } }
    return person.newEmail
  }
  const ask = (wanted: string) => change(session, { email: wanted, currentPassword: password })
  await ask('first@example.com')
  const link = await linkFor(personId)
  await ask('second@example.com')
  assert.equal((await openFormBrowser(place).go(link)).status, 410)
  assert.equal(await newEmail(), 'second@example.com')
  await change(session, { name: 'Ada' })
  assert.equal(await newEmail(), 'second@example.com', 'a change of the name leaves it alone')
  const newLink = await linkFor(personId)
  await place.clock.turn(7 * 1440 * minuteMs)
  assert.equal(await newEmail(), undefined)
  assert.equal((await openFormBrowser(place).go(newLink)).status, 410)
  await ask('third@example.com')
  await change(session, { email: email.toUpperCase() })
  assert.equal(await newEmail(), undefined)
  assert.equal(await signIn(email), 200)
})

test('a change whose session ends while it runs changes nothing', async () => {
  const { personId, email, session } = await newPerson()
  const other = await makeSession(production, personId)
  const both = await Promise.all([
    change(session, { password: 'first horse', currentPassword: password }),
    change(other, { password: 'second horse', currentPassword: password }),
  ])
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401])
  const good = await Promise.all(['first horse', 'second horse'].map((each) => signIn(email, each)))
  assert.deepEqual(good.sort(), [200, 403])
})

test('of two concurrent changes the second is refused, because the first replaced the password that proved it', async () => {
  const { session, email } = await newPerson()
  const both = await Promise.all(
    ['first horse', 'second horse'].map((each) => change(session, { password: each, currentPassword: password })),
  )
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 403])
  const good = await Promise.all(['first horse', 'second horse'].map((each) => signIn(email, each)))
  assert.deepEqual(good.sort(), [200, 403])
})

test('nothing is logged as a bug, and no e-mail or link is stored or logged in plaintext', () => {
  assert.deepEqual(
    place.lines.filter(({ level }) => level === 'error'),
    [],
  )
  assert.doesNotMatch(JSON.stringify(place.lines), /example\.com|horse/)
  const canaries = ['second@example.com', 'confirmed@example.com', password]
  assert.deepEqual(findInData(place, [team.teamId, ...canaries]), [team.teamId])
})
