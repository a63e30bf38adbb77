import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { invitationUrl, invite } from '#account/invitation.ts'
import { operatorHolder as byOperator } from '#account/privilege.ts'
import { createSignInLink } from '#account/signInLink.ts'
import type { Member } from '#contract/account.ts'
import {
  callApi,
  findInData,
  makeMember,
  makeOperator,
  makeTeam,
  openFormBrowser,
  openTestServer,
  type PageAnswer,
} from '../../../test/fake/testServer.ts'

const place = await openTestServer()
after(place.close)
const { production, sandbox } = place.environments
const team = await makeTeam(production, 'Shop & <b>Sons</b>')
const password = 'correct horse'
const owner = await makeMember(place, production, team.teamId, 'owner', 'Owner@Example.com')
const joinedPath = `/v1/account/team/${team.teamId}/joined`
const minuteMs = 60_000

const isSignedIn = async (person: ReturnType<typeof openFormBrowser>) =>
  (await person.call('GET', '/v1/session')).status === 200
const signIn = (email: string, secret = password, person = openFormBrowser(place), next = '') =>
  person.send('/v1/account/sign-in', { email, password: secret, next })
const members = async (): Promise<Member[]> =>
  (await callApi<{ members: Member[] }>(production, team, 'GET', '/member')).body.members
const memberOf = async (email: string) => (await members()).find((each) => each.email === email)!
const newLink = async (role: 'owner' | 'editor' | 'viewer' = 'editor') =>
  invitationUrl(production.baseUrl, (await invite(production, { teamId: team.teamId, role }, byOperator)).secret)
const signUp = (email: string) => ({ name: 'Grace Hopper', email, password })

function assertPage({ text, headers }: PageAnswer): void {
  const policy = `${headers.get('content-security-policy')}`
  const style = /<style>([\s\S]*)<\/style>/.exec(text)![1]!
  assert.ok(policy.includes(`'sha256-${createHash('sha256').update(style).digest('base64')}'`))
  assert.match(policy, /default-src 'none'.*base-uri 'none'; frame-ancestors 'none'; form-action 'self'/)
  const [, script] = /<script>([\s\S]*)<\/script>/.exec(text) ?? []
  if (script) assert.ok(policy.includes(`script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`))
  assert.equal(script !== undefined, text.includes(' data-copy'))
  assert.doesNotMatch(text.replace(`<script>${script}`, ''), /<script|\son\w+=|style="/i)
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(headers.get('referrer-policy'), 'same-origin')
}

test('e-mail (in any case) and password sign in and lead to the dashboard', async () => {
  const person = openFormBrowser(place)
  assertPage(await person.go('/v1/account/sign-in'))
  const answer = await signIn(' owner@EXAMPLE.com ', password, person)
  assert.deepEqual([answer.status, answer.location], [303, `${place.origin}/dashboard`])
  assert.match(`${answer.headers.getSetCookie()[0]}`, /; Path=\/v1; Max-Age=1209600; HttpOnly; SameSite=Lax$/)
  const page = await person.go(joinedPath)
  assertPage(page)
  assert.ok(page.text.includes('Shop &amp; &lt;b&gt;Sons&lt;/b&gt;'))
})

test('a wrong password and an unknown e-mail get the same message, and the form keeps the e-mail', async () => {
  const wrong = await signIn('owner@example.com', 'wrong password')
  const unknown = await signIn('nobody@example.com')
  assert.deepEqual([wrong.status, unknown.status], [403, 403])
  assert.equal(wrong.text.replace('owner@', 'nobody@'), unknown.text)
  assert.ok(wrong.text.includes('value="owner@example.com"'))
})

test('after five failures from one address for an e-mail even the right password must wait', async () => {
  await makeMember(place, production, team.teamId, 'viewer', 'guessed@example.com')
  const answers = await Promise.all(Array.from({ length: 8 }, () => signIn('guessed@example.com', 'wrong password')))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [403, 403, 403, 403, 403, 429, 429, 429])
  const waits = await signIn('guessed@example.com')
  assert.deepEqual([waits.status, waits.headers.get('retry-after')], [429, '1'])
  await place.clock.turn(15 * minuteMs)
  assert.equal((await signIn('guessed@example.com')).status, 303)
})

test('signing in redirects to the requested page, and never to another site', async () => {
  for (const [next, to] of [
    [joinedPath, joinedPath],
    ['/v1/oauth/interaction/abc', '/v1/oauth/interaction/abc'],
    ['//evil.example/v1/account', '/dashboard'],
    ['https://evil.example/v1/account', '/dashboard'],
    ['/\\evil.example/v1/account', '/dashboard'],
    ['javascript:alert(1)', '/dashboard'],
    ['/v1/account/../../demo', '/dashboard'],
    ['/sandbox/v1/account', '/dashboard'],
  ] as const)
    assert.equal(
      (await signIn('owner@example.com', password, openFormBrowser(place), next)).location,
      place.origin + to,
      next,
    )
})

test('a form from another site is refused, and so is one without Origin and Sec-Fetch-Site', async () => {
  const fields = { email: 'owner@example.com', password }
  for (const origin of ['https://evil.example', 'null', `${place.origin}.evil.example`]) {
    const answer = await openFormBrowser(place).send('/v1/account/sign-in', fields, { origin })
    assert.deepEqual([answer.status, JSON.parse(answer.text).error], [403, 'FORM_REFUSED'])
  }
  const bare = await fetch(`${place.origin}/v1/account/sign-in`, { method: 'POST', body: new URLSearchParams(fields) })
  assert.equal(bare.status, 403)
  await owner.send('/v1/account/sign-out', {}, { origin: 'https://evil.example' })
  assert.ok(await isSignedIn(owner))
})

test('a form with another content type is refused', async () => {
  const headers = { origin: place.origin, 'content-type': 'application/json' }
  const answer = await openFormBrowser(place).go('/v1/account/sign-in', { method: 'POST', body: '{}', headers })
  assert.equal(answer.status, 415)
})

test('signing out ends the session and not only its cookie; a session expires after two weeks', async () => {
  const person = openFormBrowser(place)
  await signIn('owner@example.com', password, person)
  const cookies = new Map(person.jar)
  await person.send('/v1/account/sign-out', {})
  for (const [name, cookie] of cookies) person.jar.set(name, cookie)
  assert.ok(!(await isSignedIn(person)))
  await signIn('owner@example.com', password, person)
  await place.clock.turn(14 * 1440 * minuteMs - 1)
  assert.ok(await isSignedIn(person))
  await place.clock.turn(1)
  assert.ok(!(await isSignedIn(person)))
  await signIn('owner@example.com', password, owner)
})

test('the operator’s link signs in once; viewing it does not use it up', async () => {
  const { url, expiresAt } = await createSignInLink(production, production.baseUrl)
  assert.equal(expiresAt, place.clock.now() + 60 * minuteMs)
  const person = openFormBrowser(place)
  for (const _ of [1, 2]) assertPage(await person.go(url))
  const answers = await Promise.all(
    [person, openFormBrowser(place), openFormBrowser(place)].map((each) => each.send(url, {})),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 410, 410])
  assert.equal((await openFormBrowser(place).go(url)).status, 410)
  assert.ok(!JSON.stringify(place.lines).includes(url.split('/').at(-1)!))
})

test('a link expires after an hour, and is unknown in the other environment', async () => {
  const { url } = await createSignInLink(production, production.baseUrl)
  const elsewhere = url.replace('/v1/', '/sandbox/v1/')
  assert.equal((await openFormBrowser(place).send(elsewhere, {})).status, 410)
  await place.clock.turn(60 * minuteMs)
  assert.equal((await openFormBrowser(place).send(url, {})).status, 410)
})

test('the operator sees every team, and can set a password', async () => {
  const operator = await makeOperator(place, production)
  const { teams } = (await operator.call('GET', '/v1/session')).body as { teams: { teamId: string }[] }
  assert.ok(teams.some(({ teamId }) => teamId === team.teamId))
  const saved = await operator.call('PUT', '/v1/person', { ...signUp('op@example.com'), name: 'Op' })
  assert.equal(saved.status, 200, JSON.stringify(saved.body))
  const again = openFormBrowser(place)
  await signIn('op@example.com', password, again)
  assert.ok(await isSignedIn(again))
})

test('a new password ends every other session, and the old password no longer works', async () => {
  const [here, there] = [
    await makeMember(place, production, team.teamId, 'viewer', 'new@example.com'),
    openFormBrowser(place),
  ]
  await signIn('new@example.com', password, there)
  const fields = { password: 'another horse' }
  const bare = await here.call('PUT', '/v1/person', fields)
  assert.deepEqual([bare.status, /is required/.test(JSON.stringify(bare.body))], [400, true])
  await here.call('PUT', '/v1/person', { ...fields, currentPassword: password })
  assert.deepEqual([await isSignedIn(here), await isSignedIn(there)], [true, false])
  assert.equal((await signIn('new@example.com')).status, 403)
  assert.equal((await signIn('new@example.com', 'another horse')).status, 303)
})

test('an invitation link lets a new person join with its role, once', async () => {
  const url = await newLink('viewer')
  const guest = openFormBrowser(place)
  const offer = await guest.go(url)
  assertPage(offer)
  assert.match(offer.text, /Join Shop &amp; &lt;b&gt;Sons/)
  const joined = await guest.send(url, signUp('guest@example.com'))
  assert.equal(joined.location, place.origin + joinedPath)
  const welcome = await guest.follow(joined)
  assertPage(welcome)
  assert.match(
    welcome.text,
    /You are in Shop[\s\S]*Viewer: it reads everything[\s\S]*What you can do next[\s\S]*See the events/,
  )
  const { role, name } = await memberOf('guest@example.com')
  assert.deepEqual([role, name], ['viewer', 'Grace Hopper'])
  assert.equal((await openFormBrowser(place).go(url)).status, 410)
  assert.equal((await openFormBrowser(place).send(url, signUp('late@example.com'))).status, 410)
  assert.equal(await memberOf('late@example.com'), undefined)
})

test('concurrent requests with one invitation admit one person', async () => {
  const url = await newLink()
  const answers = await Promise.all(
    ['a', 'b', 'c'].map((name) => openFormBrowser(place).send(url, signUp(`${name}@many.example`))),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 410, 410])
  assert.equal((await members()).filter(({ email }) => email?.endsWith('many.example')).length, 1)
})

test('a signed-in person joins with the same account, and a lesser role does not replace a greater one', async () => {
  const before = (await memberOf('Owner@Example.com')).role
  const url = await newLink('viewer')
  assert.match((await owner.go(url)).text, /signed in as Ada Lovelace/)
  assert.equal((await owner.send(url, {})).status, 303)
  assert.deepEqual([before, (await memberOf('Owner@Example.com')).role], ['owner', 'owner'])
})

test('the page shows a taken e-mail, a short password or a missing name, and the link stays valid', async () => {
  const url = await newLink()
  const guest = openFormBrowser(place)
  const cases: [Record<string, string>, number, RegExp][] = [
    [signUp('owner@example.com'), 409, /Another person already signs in with this e-mail/],
    [{ ...signUp('x@example.com'), password: 'short' }, 400, /Password must have 10 to 200 characters/],
    [{ ...signUp('x@example.com'), name: ' ' }, 400, /Name must have/],
    [signUp('no address'), 400, /Email is not an e-mail address/],
  ]
  for (const [fields, status, says] of cases) {
    const answer = await guest.send(url, fields)
    assert.deepEqual([answer.status, says.test(answer.text)], [status, true], `${says}`)
    assertPage(answer)
    assert.ok(!answer.text.includes(password))
  }
  assert.equal((await guest.send(url, signUp('x@example.com'))).status, 303)
})

test('a browser gets a page for an unknown team, an unknown address and a wrong method, and a program gets JSON', async () => {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  for (const [path, method, status, says] of [
    ['/v1/account/team/team_nope/joined', 'GET', 404, /Page not found/],
    ['/v1/nowhere', 'GET', 404, /Page not found/],
    ['/v1/account/sign-out', 'GET', 405, /This URL only accepts a form/],
    ['/v1/account', 'DELETE', 405, /This URL only accepts a form/],
  ] as const) {
    const page = await owner.go(path, { method, headers: { accept, origin: place.origin } })
    assert.deepEqual([page.status, says.test(page.text)], [status, true], page.text)
    assert.match(`${page.headers.get('content-type')}`, /^text\/html/)
    assert.match(page.text, /href="\/dashboard"/)
    assert.match(`${page.headers.get('content-security-policy')}`, /default-src 'none'; style-src 'sha256-/)
    for (const program of ['*/*', 'application/json', 'application/json, text/html;q=0.5', 'text/html,'.repeat(101)]) {
      const answer = await owner.go(path, { method, headers: { accept: program, origin: place.origin } })
      assert.deepEqual([answer.status, JSON.parse(answer.text).statusCode], [status, status])
      assert.match(`${answer.headers.get('vary')}`, /accept/i)
    }
  }
  assert.match(
    (await owner.go('/sandbox/v1/nowhere', { headers: { accept } })).text,
    /<span class="environment sandbox">Sandbox</,
  )
})

test('the page of a signed-in person links to the dashboard, and signs out from there', async () => {
  const { text } = await owner.go(joinedPath)
  assert.match(text, /<nav[\s\S]*href="\/dashboard"[\s\S]*action="\/v1\/account\/sign-out"/)
})

test('a link that was used up, and the page of signing in, name the command that prints another one', async () => {
  for (const path of ['/v1/account/link/nope', '/v1/account/sign-in'])
    assert.match((await openFormBrowser(place).go(path)).text, /<code data-copy>[^<]* sign-in<\/code>/)
  assert.match(
    (await openFormBrowser(place).go('/sandbox/v1/account/link/nope')).text,
    /sign-in --environment sandbox</,
  )
})

test('the page of another team or environment is 404', async () => {
  const other = await makeTeam(production, 'Other')
  assert.equal((await owner.go(`/v1/account/team/${other.teamId}/joined`)).status, 404)
  const guest = await makeMember(place, sandbox, (await makeTeam(sandbox)).teamId, 'owner', 'owner@example.com')
  assert.equal((await guest.go(joinedPath)).status, 303, 'signed in to the sandbox alone')
  for (const { path } of guest.jar.values()) assert.equal(path, '/sandbox/v1')
})

test('a request to another name of this machine is redirected to the origin', async () => {
  const url = `${place.origin.replace('127.0.0.1', 'localhost')}/v1/account/sign-in?next=%2Fv1%2Faccount`
  const answer = await fetch(url, { redirect: 'manual' })
  assert.equal(answer.headers.get('location'), `${place.origin}/v1/account/sign-in?next=%2Fv1%2Faccount`)
})

test('nothing is logged as a bug, and no e-mail or password is logged', () => {
  assert.deepEqual(
    place.lines.filter(({ level }) => level === 'error'),
    [],
  )
  assert.doesNotMatch(JSON.stringify(place.lines), /example\.com|correct horse/i)
  const canaries = ['Owner@Example.com', 'owner@example.com', 'Ada Lovelace', 'Grace Hopper', password]
  assert.deepEqual(findInData(place, [team.teamId, ...canaries]), [team.teamId], 'nor is it kept as it is')
})
