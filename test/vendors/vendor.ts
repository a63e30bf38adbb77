import type { DeliveryReason } from '#contract/deliveryStatus.ts'
import { type TSchema, Type } from '#contract/schema.ts'
import { compileValidator } from '#contract/validator.ts'

/** A request as a vendor sees it. Header names are lower-case; `json` is undefined if the body is not JSON. */
export type Got = {
  method: string
  host: string
  path: string
  query: Record<string, string>
  headers: Record<string, string>
  body: string
  json: unknown
  form: Record<string, string>
}
export type Reply = { status: number; headers?: Record<string, string>; json?: unknown; text?: string }

/** A known answer of a vendor, and its meaning for the delivery. */
export type Failure = { reply(says: string, got: Got): Reply; means: DeliveryReason }

/** The problems of a request: with the caller, and with the data. */
export type Wrong = { key: readonly string[]; payload: readonly string[] }

/** The data that a visit needs so that its events are sent to a vendor. */
export type Visit = {
  /** Query parameters of the landing page, such as click ids. */
  query?: Readonly<Record<string, string>>
  /** Cookies that the page's script sends, such as the visitor id of the vendor's own script. */
  cookies?: Readonly<Record<string, string>>
  /** Members of the event's `data`. */
  data?: Readonly<Record<string, unknown>>
  /** Members of the event that identify the person, such as `userPhone`. */
  user?: Readonly<Record<string, string>>
}

/** A vendor as documented: its requirements and its answers. */
export type MockVendor = {
  hosts: RegExp
  /** `now`: epoch ms. */
  check(got: Got, now: number): Wrong
  good(got: Got): Reply
  visit?: Visit
  /** A request may have neither a query nor a body: everything required is in its path. */
  isAllInPath?: true
  /** By name. `badKey` and `badPayload` answer the problems found by `check`; a vendor without them does not report any. */
  failures: Readonly<Record<string, Failure>>
}

/** A failure that can happen at every vendor. */
export const down: Failure = { reply: (says) => ({ status: 503, text: says }), means: 'vendorDown' }

export const text = Type.String({ minLength: 1 })
export const digest = Type.String({ pattern: '^[0-9a-f]{64}$' })
export const currency = Type.String({ pattern: '^[A-Z]{3}$' })
export const time = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?(Z|[+-]\\d\\d:\\d\\d)$',
})

/** An object that has some of these members and no others. */
export const only = (members: Record<string, TSchema>) =>
  Type.Object(Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, Type.Optional(schema)])), {
    additionalProperties: false,
  })

/** A schema as a vendor's validation: messages, none if the value is valid. */
export function insist(schema: TSchema): (value: unknown) => string[] {
  const issuesOf = compileValidator(schema)
  return (value) => issuesOf(value).map(({ path, message }) => `${path || 'the body'} ${message}`)
}

/** The message unless the condition holds. */
export const unless = (isSo: boolean, sentence: string): string[] => (isSo ? [] : [sentence])

/** Accepts any key that is present and does not start with `bad`. */
export const keyProblem = (key: string | undefined): string[] =>
  unless(Boolean(key) && !/^bad/i.test(key!), key ? 'The key is not known.' : 'The key is missing.')

/** Whether epoch seconds are within the last days, with a tolerance of ten minutes ahead; milliseconds never are. */
export const isRecent = (seconds: number, days: number, now: number): boolean =>
  seconds * 1_000 > now - days * 86_400_000 - 60_000 && seconds * 1_000 < now + 600_000

/** User and password of an `authorization: Basic`. */
export function basicOf({ headers }: Got): { user: string; password: string } | undefined {
  const [, encoded] = /^Basic (\S+)$/.exec(headers.authorization ?? '') ?? []
  const [, user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? []
  return user === undefined || password === undefined ? undefined : { user, password }
}

/** The token of an `authorization: Bearer`. */
export const bearerOf = ({ headers }: Pick<Got, 'headers'>): string | undefined =>
  /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1]
