import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccountDeps } from '#account/accountDeps.ts'
import { rememberDevice } from '#account/knownDevice.ts'
import type { SandboxLinks } from '#account/sandboxLinks.ts'
import type { SignedInPerson } from '#account/session.ts'
import { findSession, sessionLifeMs } from '#account/session.ts'
import type { SignInMethods } from '#account/signInMethods.ts'
import { Fault, fault } from '#contract/fault.ts'
import type { Log } from '#kit/log.ts'
import { openSessionCookie } from '../sessionCookie.ts'
import { contentSecurityPolicy, type Html, type HtmlPage, html, renderPage } from './html.ts'

/** The dependencies of the pages of one environment. */
export type PagesDeps = AccountDeps &
  SignInMethods & {
    /** Scheme, host and port that callers use. */
    origin: string
    /** Ends with the version segment. */
    baseUrl: string
    /** Absent in the sandbox, and if this process does not serve it. */
    sandboxLinks?: SandboxLinks
    log: Log
  }

/** The secret of a link: the last part of its path. */
export const linkSecret = ({ params }: FastifyRequest) => (params as { secret: string }).secret

/** The path prefix of the environment: `/v1` or `/sandbox/v1`. */
export const basePathOf = ({ baseUrl }: Pick<PagesDeps, 'baseUrl'>) => new URL(baseUrl).pathname

/** The browser's proof of the people who have signed in there. */
export const deviceIn = (deps: PagesDeps, { headers }: FastifyRequest) => openSessionCookie(deps).readDevice(headers)

/** Lets the browser prove later that this person has signed in there. */
export async function rememberBrowser(
  deps: PagesDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  who: SignedInPerson,
): Promise<void> {
  const signs = { device: deviceIn(deps, request), userAgent: request.headers['user-agent'] }
  const device = await rememberDevice(deps, who, signs)
  reply.header('set-cookie', openSessionCookie(deps).formatDevice(device))
}

/** Signs in the browser of a request. */
export async function startSession(deps: PagesDeps, request: FastifyRequest, reply: FastifyReply, secret: string) {
  reply.header('set-cookie', openSessionCookie(deps).format(secret, sessionLifeMs))
  const who = await findSession(deps, secret)
  if (who) await rememberBrowser(deps, request, reply, who)
}

/**
 * Also signs the browser in to the linked sandbox account. A failure does not affect the sign-in of production. The
 * sandbox's device stays unknown: its cookie, which may name other people, is not sent to production.
 */
export async function startSandboxSession(
  deps: PagesDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  personId: string,
) {
  try {
    const session = await deps.sandboxLinks?.signIn(personId, request.ip)
    if (!session) return
    const cookie = openSessionCookie({ environment: 'sandbox', baseUrl: `${deps.origin}/sandbox/v1` })
    reply.header('set-cookie', cookie.format(session.secret, sessionLifeMs))
  } catch (error) {
    deps.log({ level: 'error', message: 'could not sign in to the sandbox', error })
  }
}
export const clearSessionCookie = (deps: PagesDeps, reply: FastifyReply) =>
  reply.header('set-cookie', openSessionCookie(deps).format('', 0))

/** The person whose session the request's cookie contains. */
export async function findSignedIn(deps: PagesDeps, request: FastifyRequest): Promise<SignedInPerson | undefined> {
  const secret = openSessionCookie(deps).read(request.headers)
  return secret ? findSession(deps, secret) : undefined
}

/** The signed-in person. Otherwise redirects to the sign-in page, which returns here, and resolves with undefined. */
export async function requireSignedIn(deps: PagesDeps, request: FastifyRequest, reply: FastifyReply) {
  const who = await findSignedIn(deps, request)
  if (who) return who
  const next = request.method === 'GET' ? request.url : dashboardPathOf(deps)
  reply.redirect(`${basePathOf(deps)}/account/sign-in?next=${encodeURIComponent(next)}`, 303)
  return undefined
}

/** Throws formRefused unless the form was sent from this origin (CSRF protection). */
export function requireSameSite({ origin }: PagesDeps, { headers }: FastifyRequest): void {
  const isOwn = headers.origin === undefined ? headers['sec-fetch-site'] === 'same-origin' : headers.origin === origin
  if (!isOwn) throw fault('formRefused')
}

/** In bytes. The largest form has four fields of a few hundred characters. */
const maxFormBytes = 16_384

/** The fields of a form. Throws bodyTooLarge, and contentTypeRefused for anything else. */
export function readForm({ headers, body }: FastifyRequest): URLSearchParams {
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded')
    throw fault('contentTypeRefused', { message: 'Send the form as application/x-www-form-urlencoded.' })
  if (Buffer.isBuffer(body) && body.length > maxFormBytes) throw fault('bodyTooLarge')
  return new URLSearchParams(Buffer.isBuffer(body) ? body.toString() : '')
}

export type PageOptions = Omit<HtmlPage, 'environment' | 'navigation'> & {
  /** For a page of a signed-in person, with links to their other pages. */
  isSignedIn?: boolean
  status?: number
  headers?: Readonly<Record<string, string>>
  formTargets?: readonly URL[]
}

const navigation = (deps: PagesDeps): Html => html`<nav aria-label="Pages">
<a href="${dashboardPathOf(deps)}">Dashboard</a><a href="/docs">API reference</a>
<form method="post" action="${basePathOf(deps)}/account/sign-out"><button>Sign out</button></form></nav>`

/** The errors of a form that was refused. */
export const errorNotes = (errors: readonly string[]): Html =>
  html`${errors.map((each) => html`<p class="error" role="alert">${each}</p>`)}`

/**
 * Sends a page. The referrer policy is `same-origin`, because with `no-referrer` browsers send `Origin: null` with a
 * form.
 */
export function sendPage(
  deps: PagesDeps,
  reply: FastifyReply,
  { status = 200, headers = {}, formTargets, isSignedIn, ...page }: PageOptions,
) {
  return reply
    .code(status)
    .headers(headers)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'same-origin')
    .header('content-security-policy', contentSecurityPolicy(formTargets))
    .send(renderPage({ ...page, environment: deps.environment, ...(isSignedIn && { navigation: navigation(deps) }) }))
}

/** `currentPassword` → `Current password ` */
function fieldName(path: string): string {
  const words = path.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words && `${words[0]!.toUpperCase()}${words.slice(1)} `
}

/** The sentence with the seconds of Retry-After. */
const retryMessage = (seconds: number) =>
  seconds < 60 ? `Try again in ${seconds} seconds.` : `Try again in ${Math.ceil(seconds / 60)} minutes.`

function faultSentences({ fault: name, message, headers, attributes }: Fault): string[] {
  const retryAfter = headers['retry-after']
  const reason = name === 'overloaded' ? 'The server is busy.' : 'Too many attempts.'
  if (retryAfter) return [`${reason} ${retryMessage(Number(retryAfter))}`]
  const issues = (attributes?.issues ?? []) as { path: string; message: string }[]
  return issues.length > 0 ? issues.map((issue) => `${fieldName(issue.path)}${issue.message}.`) : [message]
}

/** The sentences of a fault for a page: one for each issue, else its message. Rethrows other errors. */
export function faultMessages(problem: unknown): {
  status: number
  headers: Record<string, string>
  messages: string[]
} {
  if (!(problem instanceof Fault)) throw problem
  return { status: problem.status, headers: problem.headers, messages: faultSentences(problem) }
}

/** The dashboard of the environment: `/dashboard` or `/sandbox/dashboard`. */
export const dashboardPathOf = (deps: Pick<PagesDeps, 'baseUrl'>) => basePathOf(deps).replace(/v1$/, 'dashboard')

/** The path to redirect to after signing in. Always a page of this environment. */
export function safeRedirect(deps: PagesDeps, next: string | null): string {
  const base = basePathOf(deps)
  const home = dashboardPathOf(deps)
  if (!next || !URL.canParse(next, deps.origin)) return home
  const { origin, pathname, search } = new URL(next, deps.origin)
  const prefixes = [`${base}/account`, `${base}/oauth/interaction/`, `${dashboardPathOf(deps)}/`]
  const isOwn = origin === deps.origin && prefixes.some((prefix) => pathname.startsWith(prefix))
  return isOwn ? pathname + search : home
}
