import type { ValueMode } from '#contract/script.ts'
import type { ConsentSignals } from './consentSignals.ts'
import type { EventSession, Skip } from './request.ts'
import type { SecretSpecs, SecretsOf } from './secret.ts'

/** The expected headers. A pattern matches a value that differs each time, such as a signature. */
export type ExpectedHeaders = Readonly<Record<string, string | RegExp>>

/** One event and the requests that result from it. Used for the tests and the documentation of a provider. */
export type ProviderExample<S extends SecretSpecs = SecretSpecs> = {
  title: string
  /** Set for an update of a person's known values; the event's `data` holds the keys. */
  kind?: 'user'
  /** Defaults: `evt-1` for `eventId`, `exampleEventAt` for `timestamp`. */
  event: { readonly eventName: string; readonly [field: string]: unknown }
  /** Standard keys, `userId`, `ip`, `userAgent`. */
  user?: Readonly<Record<string, string>>
  custom?: Readonly<Record<string, unknown>>
  captured?: Readonly<Record<string, string>>
  session?: EventSession
  /** Signals that are not given are `unknown`. */
  consent?: Partial<ConsentSignals>
  purchaseValueMode?: ValueMode
  secrets: { readonly [K in keyof SecretsOf<S>]?: string }
  /** The responses to the token request, which is then the first of `sends`, and to each step except the last. */
  replies?: readonly { status: number; json?: unknown }[]
  /** Builds the requests for the vendor's test mode. */
  testMode?: true
  /** The requests, each body as its JSON value, its form fields or its text, or the reason why nothing is sent. */
  sends: readonly { method?: string; url: string; headers?: ExpectedHeaders; body?: unknown }[] | Skip
}

type ExampleChanges = {
  [K in keyof ProviderExample as K extends 'title' | 'secrets' ? never : K]?: ProviderExample[K] | undefined
} & Pick<ProviderExample, 'event' | 'sends'> & { secrets?: Readonly<Record<string, string | undefined>> }

/**
 * Examples that differ from a base only in the given fields: `secrets` are merged with the base's, every other field
 * replaces the base's. A field that is `undefined` is removed.
 */
export const exampleLike =
  (base: Pick<ProviderExample, 'secrets'> & Partial<ProviderExample>) =>
  (title: string, changes: ExampleChanges): ProviderExample => {
    const defined = (fields: object) => Object.entries(fields).filter(([, value]) => value !== undefined)
    const secrets = Object.fromEntries(defined({ ...base.secrets, ...changes.secrets }))
    return {
      title,
      ...(Object.fromEntries(defined({ ...base, ...changes })) as Omit<ProviderExample, 'title'>),
      secrets,
    }
  }

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof RegExp)

function merge(value: unknown, changes: unknown): unknown {
  if (Array.isArray(changes))
    return changes.map((change, at) => merge(Array.isArray(value) ? value[at] : undefined, change))
  if (!isObject(changes)) return changes
  const fields: Record<string, unknown> = isObject(value) && !Array.isArray(value) ? { ...value } : {}
  for (const [name, change] of Object.entries(changes)) {
    fields[name] = merge(fields[name], change)
    if (change === undefined) delete fields[name]
  }
  return fields
}

/** A request with changes. Objects are merged, lists item by item. A field that is `undefined` is removed. */
export const like = <Request extends object>(request: Request, changes: object): Request =>
  merge(request, changes) as Request

type Sends = ProviderExample['sends']
/**
 * The three people of the examples: a visitor without identity, the same visitor with an e-mail, and the visitor with
 * e-mail and customer id.
 */
type SendsOfEachPerson = { visitor: Sends; email: Sends; customer: Sends }

/** Examples of one event by each of the three people. Only their `sends` differ. */
export const ofEachPerson = (
  example: Omit<ProviderExample, 'title' | 'sends' | 'user'> & { user?: Readonly<Record<string, string>> },
  { visitor, email, customer }: SendsOfEachPerson,
): readonly ProviderExample[] => {
  const anonymous = { ...example.user, userId: 'usr_1' }
  const mailed = { ...anonymous, email: 'ada.lovelace@gmail.com' }
  return [
    { ...example, title: personTitles.visitor, user: anonymous, sends: visitor },
    { ...example, title: personTitles.email, user: mailed, sends: email },
    { ...example, title: personTitles.customer, user: { ...mailed, customerId: 'customer-1' }, sends: customer },
  ]
}

/** The titles of the examples with the three people. Every provider has these examples. */
export const personTitles = {
  visitor: 'a visitor without identity',
  email: 'a person with an e-mail',
  customer: 'a customer with an id of the shop',
}
