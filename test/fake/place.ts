import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { invitationUrl, invite } from '#account/invitation.ts'
import type { Passwords } from '#account/password.ts'
import { operator } from '#account/privilege.ts'
import { makeSignInLink } from '#account/signInLink.ts'
import { createTeam } from '#account/team.ts'
import { createToken } from '#account/token.ts'
import type { ApplicationMade, Role } from '#contract/account.ts'
import { type EnvironmentName, environments } from '#contract/me.ts'
import { everyScope } from '#contract/scopes.ts'
import { controlRoutes } from '#control/app.ts'
import type { ControlWorld } from '#control/world.ts'
import { accountRoutes } from '#http/account.ts'
import { fastifyFor } from '#http/app.ts'
import { type Control, openControl } from './control.ts'

/** Both environments on a real port: the control API, OAuth and the pages. */
export type Place = {
  origin: string
  /** The control API by itself, on the same stores. */
  control: Control
  /** Where everything is kept. */
  data: string
  worlds: Record<EnvironmentName, ControlWorld>
  clock: Awaited<ReturnType<typeof openControl>>['clock']
  lines: Record<string, unknown>[]
  close(): Promise<void>
}

export async function openPlace(passwords?: Passwords): Promise<Place> {
  const control = await openControl(passwords)
  const { data, worlds, clock, lines, close } = control
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const log: ControlWorld['log'] = (line) => lines.push(line)
  const app = fastifyFor({ log, serverFactory: (listener) => server.on('request', listener) })
  const here = {} as Place['worlds']
  for (const environment of environments) {
    const baseUrl = `${origin}${environment === 'sandbox' ? '/sandbox' : ''}/v1`
    const world = { ...worlds[environment], baseUrl, log }
    here[environment] = world
    app.register(async (routes) => controlRoutes(routes, world), { prefix: new URL(baseUrl).pathname })
    app.register(async (routes) => accountRoutes(routes, { ...world, origin }))
  }
  await app.ready()
  return {
    origin,
    control,
    data,
    worlds: here,
    clock,
    lines,
    async close() {
      server.closeAllConnections()
      server.close()
      await close()
    },
  }
}

export type Answer = { status: number; url: string; text: string; headers: Headers; location: string | undefined }

/** Which of the texts lie in the files of the data directory as they are. */
export function foundIn({ data }: Pick<Place, 'data'>, texts: readonly string[]): string[] {
  const files = readdirSync(data).map((name) => readFileSync(join(data, name)))
  return texts.filter((text) => files.some((file) => file.includes(text)))
}

/** A person's browser: it keeps cookies by name and path, and sends forms as pages do. */
export function browser(place: Pick<Place, 'origin'>) {
  const jar = new Map<string, { name: string; value: string; path: string }>()
  const isUnder = (pathname: string, path: string) =>
    path === '/' || pathname === path || pathname.startsWith(`${path.replace(/\/$/, '')}/`)
  function keep(line: string, pathname: string): void {
    const [pair = '', ...attributes] = line.split(/;\s*/)
    const [name = '', ...value] = pair.split('=')
    const said = attributes.find((each) => /^path=/i.test(each))?.slice(5)
    const path = said ?? (pathname.slice(0, pathname.lastIndexOf('/')) || '/')
    const isGone = attributes.some((each) => /^max-age=0$|^expires=thu, 01 jan 1970/i.test(each))
    if (isGone) jar.delete(`${name} ${path}`)
    else jar.set(`${name} ${path}`, { name, value: value.join('='), path })
  }
  async function go(address: string, init: RequestInit = {}): Promise<Answer> {
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
  /** Follows redirects as long as they stay on the origin. */
  async function follow(answer: Answer): Promise<Answer> {
    const isHere = answer.location !== undefined && new URL(answer.location).origin === place.origin
    return isHere && answer.status < 400 ? follow(await go(answer.location!)) : answer
  }
  return { jar, go, send, follow }
}
export type Browser = ReturnType<typeof browser>

/** A team with a token of the operator that may do everything, the operator's part included. */
export async function makeTeam(on: ControlWorld, name = 'Shop') {
  const { teamId } = await createTeam(on, name, 'operator')
  const { token } = await createToken(on, { teamId, scopes: everyScope }, 'operator')
  return { teamId, token }
}
export type Team = Awaited<ReturnType<typeof makeTeam>>

/** A call of the control API. */
export async function api<Body = Record<string, unknown>>(
  on: Pick<ControlWorld, 'baseUrl'>,
  { token, teamId }: { token: string; teamId: string },
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Body }> {
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  const answer = await fetch(on.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'team-id': teamId, ...json },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as Body }
}

/** A browser in which a new member of the team has signed up by an invitation. */
export async function makeMember(place: Place, on: ControlWorld, teamId: string, role: Role, email: string) {
  const { secret } = await invite(on, { teamId, role }, operator)
  const person = browser(place)
  const joined = await person.send(invitationUrl(on.baseUrl, secret), {
    name: 'Ada Lovelace',
    email,
    password: 'correct horse',
  })
  if (joined.status !== 303) throw new Error(`joining answered ${joined.status}: ${joined.text}`)
  return person
}

/** A browser in which the operator has signed in by the link. */
export async function makeOperator(place: Place, on: ControlWorld) {
  const person = browser(place)
  await person.send((await makeSignInLink(on, on.baseUrl)).url, {})
  return person
}

export const callback = 'http://127.0.0.1:9/callback'

/** An application that the operator has approved. */
export async function makeApplication(on: ControlWorld, team: Team, more: Record<string, unknown> = {}) {
  const scopes = ['tag:read', 'event:write', 'application:write']
  const body = { name: `App ${randomBytes(4).toString('hex')}`, scopes, redirectUris: [callback], ...more }
  const made = await api<ApplicationMade>(on, team, 'POST', '/application', body)
  if (made.status !== 200) throw new Error(`POST /application answered ${made.status}: ${JSON.stringify(made.body)}`)
  await api(on, team, 'POST', `/application/${made.body.applicationId}/approve`)
  return made.body
}

/** What an application asks at the token endpoint, or at another. */
export async function ask(
  on: Pick<ControlWorld, 'baseUrl'>,
  application: Pick<ApplicationMade, 'applicationId' | 'clientSecret'>,
  fields: Record<string, string>,
  path = '/oauth/token',
): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }> {
  const { applicationId, clientSecret } = application
  const basic = { authorization: `Basic ${Buffer.from(`${applicationId}:${clientSecret}`).toString('base64')}` }
  const answer = await fetch(on.baseUrl + path, {
    method: 'POST',
    headers: clientSecret ? basic : {},
    body: new URLSearchParams({ ...(!clientSecret && { client_id: applicationId }), ...fields }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text ? JSON.parse(text) : {} }
}

/** A verifier with its challenge (RFC 7636). */
export function pkce() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export type Asked = { scope?: string; redirect?: string; more?: Record<string, string | undefined> }

/** The address that an application sends a person to. */
export function authorizeUrl(
  on: Pick<ControlWorld, 'baseUrl'>,
  applicationId: string,
  challenge: string,
  { scope = 'tag:read', redirect = callback, more = {} }: Asked = {},
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
  return `${on.baseUrl}/oauth/authorize?${new URLSearchParams(given)}`
}

/** Goes the way of a signed-in person to the end: what the application's address is given. */
export async function consent(
  person: Browser,
  url: string,
  teamId: string,
  decision: 'allow' | 'deny' = 'allow',
): Promise<URLSearchParams> {
  const page = await person.follow(await person.go(url))
  if (page.status !== 200) throw new Error(`the consent page answered ${page.status}: ${page.text}`)
  const ended = await person.follow(await person.send(page.url, { team: teamId, decision }))
  if (!ended.location) throw new Error(`consent ended with ${ended.status}: ${ended.text}`)
  return new URL(ended.location).searchParams
}
