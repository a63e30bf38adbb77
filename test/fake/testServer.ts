import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openAccountMails } from '#account/accountMails.ts'
import { invitationUrl, invite } from '#account/invitation.ts'
import { createPasswordHasher, type PasswordHasher } from '#account/password.ts'
import { operatorHolder } from '#account/privilege.ts'
import { createSignInLink } from '#account/signInLink.ts'
import { openSignInMethods } from '#account/signInMethods.ts'
import { createTeam } from '#account/team.ts'
import { createToken } from '#account/token.ts'
import type { CreatedApplication, Role } from '#contract/account.ts'
import { type EnvironmentName, environments as environmentNames } from '#contract/me.ts'
import { everyScope } from '#contract/scopes.ts'
import type { ControlDeps } from '#control/controlDeps.ts'
import { controlRoutes } from '#control/controlRoutes.ts'
import { accountRoutes } from '#http/accountRoutes.ts'
import { createFastify } from '#http/fastifyApp.ts'
import { systemClock } from '#kit/clock.ts'
import { openMailQueue } from '#mail/mailQueue.ts'
import { sendBySmtp, toSmtpServer } from '#mail/smtpClient.ts'
import { cost, openTestControl, type TestControl } from './testControl.ts'

/** Both environments on a real port: the control API, OAuth and the pages. */
export type TestServer = {
  origin: string
  /** The control API without a port, on the same stores. */
  control: TestControl
  /** The folder of all data. */
  data: string
  environments: Record<EnvironmentName, ControlDeps>
  clock: Awaited<ReturnType<typeof openTestControl>>['clock']
  lines: Record<string, unknown>[]
  close(): Promise<void>
}

const openTestMail = (smtpUrl: string, log: ControlDeps['log']) =>
  openMailQueue({
    clock: systemClock,
    log,
    sender: 'Aglet <aglet@example.com>',
    deliver: (message) => sendBySmtp(toSmtpServer(smtpUrl), message),
  })

/** `smtpUrl`: the server for account mails. */
export async function openTestServer(passwords?: PasswordHasher, smtpUrl?: string): Promise<TestServer> {
  const control = await openTestControl(passwords)
  const { data, environments, clock, lines, close } = control
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const log: ControlDeps['log'] = (line) => lines.push(line)
  const app = createFastify({ log, serverFactory: (listener) => server.on('request', listener) })
  const mail = smtpUrl === undefined ? undefined : openTestMail(smtpUrl, log)
  const here = {} as TestServer['environments']
  for (const environment of environmentNames) {
    const baseUrl = `${origin}${environment === 'sandbox' ? '/sandbox' : ''}/v1`
    const plain = { ...environments[environment], baseUrl, log }
    const mails = mail && { send: openAccountMails({ sendMail: mail.send, baseUrl, environment }), baseUrl }
    const hasher = passwords ?? createPasswordHasher({ cost })
    const deps = mails ? { ...plain, ...openSignInMethods({ ...plain, passwords: hasher, mails }) } : plain
    here[environment] = deps
    app.register(async (routes) => controlRoutes(routes, deps), { prefix: new URL(baseUrl).pathname })
    app.register(async (routes) => accountRoutes(routes, { ...deps, origin }))
  }
  await app.ready()
  return {
    origin,
    control,
    data,
    environments: here,
    clock,
    lines,
    async close() {
      server.closeAllConnections()
      server.close()
      await mail?.close()
      await close()
    },
  }
}

export type PageAnswer = { status: number; url: string; text: string; headers: Headers; location: string | undefined }

/** The texts that occur unencrypted in the files of the data directory. */
export function findInData({ data }: Pick<TestServer, 'data'>, texts: readonly string[]): string[] {
  const entries = readdirSync(data, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name)))
  return texts.filter((text) => files.some((file) => file.includes(text)))
}

/** A fake browser that stores cookies by name and path, and sends forms. */
export function openFormBrowser(place: Pick<TestServer, 'origin'>) {
  const jar = new Map<string, { name: string; value: string; path: string }>()
  const isUnder = (pathname: string, path: string) =>
    path === '/' || pathname === path || pathname.startsWith(`${path.replace(/\/$/, '')}/`)
  function keep(line: string, pathname: string): void {
    const [pair = '', ...attributes] = line.split(/;\s*/)
    const [name = '', ...value] = pair.split('=')
    const given = attributes.find((each) => /^path=/i.test(each))?.slice(5)
    const path = given ?? (pathname.slice(0, pathname.lastIndexOf('/')) || '/')
    const isGone = attributes.some((each) => /^max-age=0$|^expires=thu, 01 jan 1970/i.test(each))
    if (isGone) jar.delete(`${name} ${path}`)
    else jar.set(`${name} ${path}`, { name, value: value.join('='), path })
  }
  async function go(address: string, init: RequestInit = {}): Promise<PageAnswer> {
    const url = new URL(address, place.origin)
    const cookies = [...jar.values()].filter(({ path }) => isUnder(url.pathname, path))
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    const headers = new Headers(init.headers)
    if (cookie) headers.set('cookie', cookie)
    const answer = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) keep(line, url.pathname)
    const location = answer.headers.get('location')
    const next = location === null ? undefined : new URL(location, url).href
    return { status: answer.status, url: url.href, text: await answer.text(), headers: answer.headers, location: next }
  }
  const send = (address: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    go(address, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { origin: place.origin, ...headers },
    })
  /** Calls the control API with the session of the browser, as the dashboard does. */
  async function call(method: string, path: string, body?: unknown, teamId?: string) {
    const json = body === undefined ? {} : { 'content-type': 'application/json' }
    const team = teamId === undefined ? {} : { 'team-id': teamId }
    const answer = await go(path, {
      method,
      headers: { 'aglet-session': '1', origin: place.origin, ...team, ...json },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: JSON.parse(answer.text) as Record<string, unknown> }
  }
  /** Follows redirects within the origin. */
  async function follow(answer: PageAnswer): Promise<PageAnswer> {
    const isHere = answer.location !== undefined && new URL(answer.location).origin === place.origin
    return isHere && answer.status < 400 ? follow(await go(answer.location!)) : answer
  }
  return { jar, go, send, call, follow }
}
export type FormBrowser = ReturnType<typeof openFormBrowser>

/** Creates a team with a token of the operator that has every scope, including those of the operator. */
export async function makeTeam(deps: ControlDeps, name = 'Shop') {
  const { teamId } = await createTeam(deps, name, 'operator')
  const { token } = await createToken(deps, { teamId, scopes: everyScope }, 'operator')
  return { teamId, token }
}
export type TestTeam = Awaited<ReturnType<typeof makeTeam>>

/** Calls the control API. */
export async function callApi<Body = Record<string, unknown>>(
  deps: Pick<ControlDeps, 'baseUrl'>,
  { token, teamId }: { token: string; teamId: string },
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Body }> {
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  const answer = await fetch(deps.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'team-id': teamId, ...json },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as Body }
}

/** The browser of a new member, who has signed up by an invitation. */
export async function makeMember(place: TestServer, deps: ControlDeps, teamId: string, role: Role, email: string) {
  const { secret } = await invite(deps, { teamId, role }, operatorHolder)
  const person = openFormBrowser(place)
  const joined = await person.send(invitationUrl(deps.baseUrl, secret), {
    name: 'Ada Lovelace',
    email,
    password: 'correct horse',
  })
  if (joined.status !== 303) throw new Error(`joining answered ${joined.status}: ${joined.text}`)
  return person
}

/** The browser of the operator, signed in by a link. */
export async function makeOperator(place: TestServer, deps: ControlDeps) {
  const person = openFormBrowser(place)
  await person.send((await createSignInLink(deps, deps.baseUrl)).url, {})
  return person
}

export const callback = 'http://127.0.0.1:9/callback'

/** Creates an application that the operator has approved. */
export async function makeApplication(deps: ControlDeps, team: TestTeam, more: Record<string, unknown> = {}) {
  const scopes = ['tag:read', 'event:write', 'application:write']
  const body = { name: `App ${randomBytes(4).toString('hex')}`, scopes, redirectUris: [callback], ...more }
  const created = await callApi<CreatedApplication>(deps, team, 'POST', '/application', body)
  if (created.status !== 200)
    throw new Error(`POST /application answered ${created.status}: ${JSON.stringify(created.body)}`)
  await callApi(deps, team, 'POST', `/application/${created.body.applicationId}/approve`)
  return created.body
}

/** Sends a request of an application to the token endpoint or another path. */
export async function askTokenEndpoint(
  deps: Pick<ControlDeps, 'baseUrl'>,
  application: Pick<CreatedApplication, 'applicationId' | 'clientSecret'>,
  fields: Record<string, string>,
  path = '/oauth/token',
): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }> {
  const { applicationId, clientSecret } = application
  const basic = { authorization: `Basic ${Buffer.from(`${applicationId}:${clientSecret}`).toString('base64')}` }
  const answer = await fetch(deps.baseUrl + path, {
    method: 'POST',
    // its own connection: the server may be closing an idle one after this process was suspended
    headers: { connection: 'close', ...(clientSecret && basic) },
    body: new URLSearchParams({ ...(!clientSecret && { client_id: applicationId }), ...fields }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text ? JSON.parse(text) : {} }
}

/** A code verifier and its challenge (RFC 7636). */
export function pkce() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export type AuthorizeOptions = { scope?: string; redirect?: string; more?: Record<string, string | undefined> }

/** The authorization URL of an application. */
export function authorizeUrl(
  deps: Pick<ControlDeps, 'baseUrl'>,
  applicationId: string,
  challenge: string,
  { scope = 'tag:read', redirect = callback, more = {} }: AuthorizeOptions = {},
): string {
  const fields = {
    response_type: 'code',
    client_id: applicationId,
    redirect_uri: redirect,
    scope,
    state: 'as it was',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...more,
  }
  const given = Object.entries(fields).filter((each): each is [string, string] => each[1] !== undefined)
  return `${deps.baseUrl}/oauth/authorize?${new URLSearchParams(given)}`
}

/** Answers the consent page as a signed-in person, and returns the parameters of the redirect. */
export async function giveConsent(
  person: FormBrowser,
  url: string,
  teamId: string,
  decision: 'allow' | 'deny' = 'allow',
): Promise<URLSearchParams> {
  const page = await person.follow(await person.go(url))
  if (page.status !== 200) throw new Error(`the consent page answered ${page.status}: ${page.text}`)
  const result = await person.follow(await person.send(page.url, { team: teamId, decision }))
  if (!result.location) throw new Error(`consent ended with ${result.status}: ${result.text}`)
  return new URL(result.location).searchParams
}

/** The form that exchanges a new authorization code, which this person's consent gives the application. */
export async function codeForm(
  deps: Pick<ControlDeps, 'baseUrl'>,
  { applicationId }: Pick<CreatedApplication, 'applicationId'>,
  { person, teamId, ...options }: { person: FormBrowser; teamId: string } & AuthorizeOptions,
) {
  const { verifier, challenge } = pkce()
  const params = await giveConsent(person, authorizeUrl(deps, applicationId, challenge, options), teamId)
  const code = params.get('code')
  if (!code) throw new Error(`consent gave no code: ${params}`)
  const { redirect = callback } = options
  return { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirect }
}
