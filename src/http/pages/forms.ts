import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SignedIn } from '#account/session.ts'
import { sessionLifeMs, sessionOf } from '#account/session.ts'
import type { SignIns } from '#account/signIns.ts'
import type { AccountWorld } from '#account/world.ts'
import { Fault, fault } from '#contract/fault.ts'
import { type Page, pageHtml, policyOf } from './html.ts'

/** What the pages of one environment stand on. */
export type PagesWorld = AccountWorld &
  SignIns & {
    /** scheme, host and port that callers see */
    origin: string
    /** ends with the version segment */
    baseUrl: string
  }

/** The path that the environment's addresses begin with: `/v1` or `/sandbox/v1`. */
export const basePathOf = ({ baseUrl }: Pick<PagesWorld, 'baseUrl'>) => new URL(baseUrl).pathname

const cookieName = ({ environment }: Pick<PagesWorld, 'environment'>) =>
  environment === 'sandbox' ? 'aglet_sandbox_session' : 'aglet_session'

function readCookie(on: PagesWorld, { headers }: FastifyRequest): string | undefined {
  const name = `${cookieName(on)}=`
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(name))?.slice(name.length)
}

/** The cookie goes to this environment's addresses alone, and to no script. */
function cookieLine(on: PagesWorld, secret: string, lifeMs: number): string {
  const secure = on.origin.startsWith('https:') ? '; Secure' : ''
  return `${cookieName(on)}=${secret}; Path=${basePathOf(on)}; Max-Age=${lifeMs / 1000}; HttpOnly; SameSite=Lax${secure}`
}

export const keepSession = (on: PagesWorld, reply: FastifyReply, secret: string) =>
  reply.header('set-cookie', cookieLine(on, secret, sessionLifeMs))
export const dropSession = (on: PagesWorld, reply: FastifyReply) => reply.header('set-cookie', cookieLine(on, '', 0))

/** Who is signed in on this browser. */
export async function signedIn(on: PagesWorld, request: FastifyRequest): Promise<SignedIn | undefined> {
  const secret = readCookie(on, request)
  return secret ? sessionOf(on, secret) : undefined
}

/** A form comes from one of our own pages, or it is refused: another site may not press our buttons. */
export function refuseOtherSites({ origin }: PagesWorld, { headers }: FastifyRequest): void {
  const isOwn = headers.origin === undefined ? headers['sec-fetch-site'] === 'same-origin' : headers.origin === origin
  if (!isOwn) throw fault('formRefused')
}

/** Bytes. The largest form has four fields of a few hundred characters. */
const longestForm = 16_384

/** The fields of a form. Throws bodyTooLarge, and contentTypeRefused for anything else. */
export function readForm({ headers, body }: FastifyRequest): URLSearchParams {
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded')
    throw fault('contentTypeRefused', { message: 'Send the form as application/x-www-form-urlencoded.' })
  if (Buffer.isBuffer(body) && body.length > longestForm) throw fault('bodyTooLarge')
  return new URLSearchParams(Buffer.isBuffer(body) ? body.toString() : '')
}

export type Shown = Omit<Page, 'environment'> & {
  status?: number
  headers?: Readonly<Record<string, string>>
  formTargets?: readonly string[]
}

/** Answers with a page. `same-origin` as the referrer policy: without any, browsers send `Origin: null` with a form. */
export function show(on: PagesWorld, reply: FastifyReply, { status = 200, headers = {}, formTargets, ...page }: Shown) {
  return reply
    .code(status)
    .headers(headers)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'same-origin')
    .header('content-security-policy', policyOf(formTargets))
    .send(pageHtml({ ...page, environment: on.environment }))
}

/** `currentPassword` → `Current password ` */
function fieldName(path: string): string {
  const words = path.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words && `${words[0]!.toUpperCase()}${words.slice(1)} `
}

/** When to come again, of the seconds of Retry-After. */
const again = (seconds: number) =>
  seconds < 60 ? `Try again in ${seconds} seconds.` : `Try again in ${Math.ceil(seconds / 60)} minutes.`

function messagesOf({ fault: name, message, headers, attributes }: Fault): string[] {
  const retryAfter = headers['retry-after']
  const reason = name === 'overloaded' ? 'The server is busy.' : 'Too many attempts.'
  if (retryAfter) return [`${reason} ${again(Number(retryAfter))}`]
  const issues = (attributes?.issues ?? []) as { path: string; message: string }[]
  return issues.length > 0 ? issues.map((issue) => `${fieldName(issue.path)}${issue.message}.`) : [message]
}

/** What a person is told of a fault: each issue by its field, else its message. Anything that is no fault is thrown. */
export function tell(problem: unknown): { status: number; headers: Record<string, string>; messages: string[] } {
  if (!(problem instanceof Fault)) throw problem
  return { status: problem.status, headers: problem.headers, messages: messagesOf(problem) }
}

/** Where to go after signing in: a path of this environment, whatever an address asks for. */
export function safeNext(on: PagesWorld, asked: string | null): string {
  const base = basePathOf(on)
  const home = `${base}/account`
  if (!asked || !URL.canParse(asked, on.origin)) return home
  const { origin, pathname, search } = new URL(asked, on.origin)
  const isOwn =
    origin === on.origin && [`${base}/account`, `${base}/oauth/interaction/`].some((own) => pathname.startsWith(own))
  return isOwn ? pathname + search : home
}
