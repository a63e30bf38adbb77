import { Type } from '#contract/schema.ts'
import { insist, keyProblem, type MockVendor, only, text, time, unless } from './vendor.ts'

const closed = { additionalProperties: false }
const Event = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 250 }),
    timestamp: time,
    user: Type.Optional(Type.Object({ uid: Type.String({ minLength: 1, maxLength: 256 }) }, closed)),
    session: only({ id: Type.String({ pattern: '^[^:]+:[^:]+$' }), use_most_recent: Type.Literal(true) }),
    properties: Type.Object({}),
    context: Type.Optional(
      only({
        browser: only({ url: text, user_agent: text, initial_referrer: text }),
        location: only({ ip_address: text }),
      }),
    ),
  },
  closed,
)
const insistEvent = insist(Event)
const insistJob = insist(Type.Object({ requests: Type.Array(Event, { minItems: 1, maxItems: 50_000 }) }, closed))

type Row = { user?: { uid?: string }; session?: { id?: string; use_most_recent?: boolean } }

const isOfOne = ({ user, session }: Row) =>
  session?.id ? !user && !session.use_most_recent : Boolean(user?.uid && session?.use_most_recent)

const error = (status: number, code: string, message: string) => ({ status, json: { code, message } })

/** https://developer.fullstory.com/server/events/create-event/ */
export const fullStory: MockVendor = {
  hosts: /^api(\.eu1)?\.fullstory\.com$/,
  check({ method, path, headers, json }) {
    const [, key] = /^Basic (\S+)$/.exec(headers.authorization ?? '') ?? []
    const isJob = path === '/v2/events/batch'
    const rows = isJob ? ((json as { requests?: Row[] })?.requests ?? []) : [(json ?? {}) as Row]
    return {
      key: keyProblem(key),
      payload: [
        ...unless(method === 'POST' && (isJob || path === '/v2/events'), 'The path is not there.'),
        ...(isJob ? insistJob : insistEvent)(json),
        ...unless(rows.every(isOfOne), 'An event needs exactly one of a session and a user.'),
      ],
    }
  },
  good: ({ path }) =>
    path.endsWith('/batch') ? { status: 200, json: { job: { id: 'job-1' } } } : { status: 200, json: {} },
  failures: {
    badKey: { reply: (says) => error(401, 'unauthorized', says), means: 'keyRejected' },
    badPayload: { reply: (says) => error(400, 'invalid_argument', says), means: 'payloadRefused' },
    forbidden: { reply: (says) => error(403, 'permission_denied', says), means: 'keyRejected' },
    fullSession: { reply: (says) => error(400, 'session_page_limit_exceeded', says), means: 'payloadRefused' },
    throttled: {
      reply: (says) => ({ ...error(429, 'rate_limited', says), headers: { 'retry-after': '1' } }),
      means: 'throttled',
    },
  },
}
