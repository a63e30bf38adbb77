import { type EventData, type Item, type StandardEvent, standardEvents, type TagEvent } from '#contract/event.ts'
import type { Reason } from '#contract/outcome.ts'
import type { ConsentCategory, SecretType, ValueMode } from '#contract/script.ts'
import type { UserRules } from './identity.ts'

/** A variable that the customer sets. PASSWORD is sensitive, the other types are not, unless it is said. */
export type SecretSpec = {
  label: string
  type: SecretType
  optional?: true
  /** What the provider is given where an optional one is not set. */
  default?: string
  sensitive?: boolean
  /** What it is, and where in the vendor's dashboard it is found. */
  description?: string
  placeholder?: string
  helpLink?: string
  /** Why this sensitive value stands in the address: the vendor takes it nowhere else. */
  inAddress?: string
  /** It fills a label of the host's name, and is checked to be no more than one. */
  isHostLabel?: true
  /** The page's part of the channel reads it, or the customer's code; the request does not. */
  usedBy?: 'browser' | 'code'
  /** What is wrong with a value that is about to be written: a sentence that does not repeat it; undefined when it is good. */
  check?(text: string): string | undefined
}
type SecretSpecs = Record<string, SecretSpec>

export const isSensitive = ({ sensitive, type }: SecretSpec) => sensitive ?? type === 'PASSWORD'

type MayLack<Spec> = Spec extends { default: string } ? false : Spec extends { optional: true } ? true : false

/** What the provider is given: optional secrets without a default may be absent (never empty), the others never are. */
export type SecretsOf<S extends SecretSpecs> = {
  readonly [K in keyof S as MayLack<S[K]> extends true ? never : K]: string
} & { readonly [K in keyof S as MayLack<S[K]> extends true ? K : never]?: string }

/** A click id or cookie of the vendor, by its own name, and when it was seen (epoch ms). */
export type Captured = Readonly<Record<string, { value: string; at: number }>>

/** One event on its way to one provider. Frozen: a provider changes nothing. */
export type Dispatch<U extends UserRules = UserRules> = {
  /** `user`: not an event of a page, but what became known of the person; its `data` holds the keys. */
  kind: 'tag' | 'user'
  /** Known fields are of the contract's types or absent, whatever the sender sent. */
  event: TagEvent
  /** `event.data`; empty where there is none. */
  data: EventData
  /** What was looked at, put in or bought; empty where nothing is said of it. */
  items: readonly Item[]
  /** The order, else the eventId: what a vendor counts once. */
  orderId: string
  /** The first discount code. */
  coupon?: string
  /** The event as it came, but for the person's raw keys in `storage.kv`: for those who hand it on whole. */
  payload: TagEvent
  /** The fields that `user` declares, normalised and hashed as declared; absent where the person is not known by them. */
  user: { readonly [K in keyof U]?: string }
  /** The person's custom keys. */
  custom: Readonly<Record<string, unknown>>
  /** `data.value`, gross or net as the script says. */
  value?: number
  captured: Captured
  /** What the step `before` fetched; empty where there was none. */
  token: string
  /** The clock, epoch ms. */
  now: number
}

export type Members = Readonly<Record<string, string | number | undefined>>

/** How a request is signed, by the clock that was handed in. */
export type Signature =
  /** Standard Webhooks: adds `webhook-id`, `webhook-timestamp`, `webhook-signature` over the body. The secret is `whsec_…` or any text. */
  | { standardWebhooks: string; id: string }
  /** AWS Signature Version 4: adds `authorization`, `x-amz-date`, and `x-amz-security-token` with a session token. */
  | { aws4: { service: string; region: string; accessKeyId: string; secretAccessKey: string; sessionToken?: string } }
  /** OAuth 1.0a, HMAC-SHA1: adds `authorization`. A form counts into the signature, a JSON body does not. */
  | { oauth1: { consumerKey: string; consumerSecret: string; token: string; tokenSecret: string } }

/** A description of one request. Undefined members of `query`, `headers`, `json` and `form` are left out. */
export type Send = {
  url: string
  /** POST with a body, GET without, unless it is said. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  query?: Members
  headers?: Readonly<Record<string, string | undefined>>
  /** The body: one of these, or none. A `content-type` among the headers goes before theirs. */
  json?: unknown
  form?: Members
  text?: string
  sign?: Signature | undefined
}
/** An event that this provider does not send, and why. */
export type Skip = { skipped: Reason }

/** A request for a token that goes first. The token is kept in memory, and fetched again before it ends or when it is refused. */
export type Before<S extends SecretSpecs> = {
  /** Undefined where these secrets need no token. */
  request(secrets: SecretsOf<S>, now: number): Send | undefined
  /** Where the token stands in the JSON answer: `access_token`, unless it is said. */
  token?: string
  /** Where its lifetime in seconds stands: `expires_in`, unless it is said. */
  lifetime?: string
  /** How long it lives where the answer does not tell: an hour, unless it is said. */
  lifetimeMs?: number
}

/** The customer's own code, which is handed what `request` describes; nothing goes over the network. */
export type Code = {
  /** The variable that holds the source, and the one that holds the values it may read: a JSON object of texts. */
  source: string
  values: string
  /** The function that the source defines. */
  name: string
  /** `request`: it is given a Request and answers with a Response, as a webhook. `body`: it is given the members of the body. */
  takes: 'request' | 'body'
}

/** A row of a request of many that its vendor did not take. */
export type LeftOut = {
  /** Its place in its list; where `join` made the request, that of its event. */
  row: number
  /** Which list, where the request has several. */
  list?: string
  /** What that means, where it is not as the whole answer says; `again` where that says delivered. */
  is?: AnswerRule['is']
  /** The vendor's words for it. */
  says?: string | undefined
}

/** Many events in one request, for vendors that take them so. One event alone goes in the form that `request` gives it. */
export type Many = {
  most: number
  /** Of the whole body: 1 MB, unless it is said. */
  maxBytes?: number
  /** What a JSON answer names that was left out, where it took the others; nothing where it took all or none. */
  failed?(answer: unknown): readonly LeftOut[]
} & (
  | {
      /** The list in the JSON body that the events stand in, or the lists. Those that differ in anything else go apart. */
      at: string | readonly string[]
      /** Headers that speak of one event: a joined request has none of them. */
      alone?: readonly string[]
    } /** One request of many; `count` where an event can count for more than one. */
  | { join(sends: readonly Send[]): Send; count?(send: Send): number }
)

export type Verdict = 'delivered' | 'again' | 'refused' | 'keyRejected'

/**
 * How an answer is to be read where it differs from the usual (2xx delivered; 408, 425, 429, 5xx again; 401 keyRejected;
 * the rest refused). The first row that fits decides, and a row fits when all it names does. `throttled` is `again` because
 * it was too much.
 */
export type AnswerRule = {
  status?: number
  /** A path into a JSON body, `errors.0.code`; there is something at it, unless one of the next three says what. */
  at?: string
  in?: readonly (string | number | boolean)[]
  /** A number from … to, both included. */
  between?: readonly [number, number]
  /** Of the text at the path, or of the whole body where there is no path. */
  like?: RegExp
  is: Verdict | 'throttled'
}

/** A signature is shown by its form. */
export type ExpectedHeaders = Readonly<Record<string, string | RegExp>>

export type Example<S extends SecretSpecs = SecretSpecs> = {
  title: string
  /** What it leaves out of an event is filled in: `eventId` and `timestamp`. */
  event: { readonly eventName: string; readonly [field: string]: unknown }
  /** Standard keys, `userId`, `ip`, `userAgent`. */
  user?: Readonly<Record<string, string>>
  custom?: Readonly<Record<string, unknown>>
  captured?: Readonly<Record<string, string>>
  purchaseValueMode?: ValueMode
  secrets: { readonly [K in keyof SecretsOf<S>]?: string }
  /** What the step `before` is answered; the token request stands first in `sends`. */
  replies?: readonly { status: number; json?: unknown }[]
  /** As it goes to the vendor's test mode. */
  test?: true
  /** What goes over the wire, the body as its JSON value, its form fields or its text; or why nothing does. */
  sends: readonly { method?: string; url: string; headers?: ExpectedHeaders; body?: unknown }[] | Skip
}

/** An event by whose name a vendor is told of it: the standard ones, and what most vendors have besides. */
export type NamedEvent = StandardEvent | 'Refund'

/** Something the person is known by: a field of `user`, or a capture. */
type Sign<U extends UserRules> = (keyof U & string) | `captured.${string}`

/** All there is to know about one provider. What has an obvious default is written only where it differs. */
export type Provider<S extends SecretSpecs = SecretSpecs, U extends UserRules = UserRules> = {
  label: string
  stage: 'draft' | 'beta' | 'live'
  /** The category a script of it has unless it says otherwise, and the others it may be given. */
  consent: readonly [ConsentCategory, ...ConsentCategory[]]
  docs: string
  dashboardUrl?: string
  /** `onboarding` is where the vendor says how to begin: the help of each variable that has no link of its own. */
  links?: { onboarding?: string; introduction?: string; faq?: string }
  isSingleton?: true
  hasActivation?: true
  isApp?: true
  appPlatforms?: readonly string[]
  hidePurchaseValueMode?: true
  /** Who names the host: the file, a secret that fills one label of it, or the customer. Only `fixed` skips the outbound guard. */
  host: 'fixed' | 'label' | 'customer'
  secrets: S
  /** Sets of optional secrets of which a script has one whole: there are several ways to sign in. */
  oneOf?: readonly (readonly (keyof NoInfer<S> & string)[])[]
  /** ours: theirs. A standard event that is not listed is not sent. */
  events: Readonly<Partial<Record<NamedEvent, string>>>
  /** The variable in which the customer pairs events with the vendor's own ids (`mappingOf`). It goes before `events` and `custom`. */
  mapping?: keyof S & string
  /** The vendor's name for a custom event; absent or undefined: it is not sent. */
  custom?(eventName: string): string | undefined
  /** theirs: what of the person goes there, and how. Raw values of a person stand in no other field. */
  user: U
  /** Without one of these nothing is sent: `identityMissing`. Several in a list count together only. */
  requires?: readonly (Sign<U> | readonly Sign<U>[])[]
  /** It is told as well of what becomes known of a person (`kind: 'user'`). */
  takesUsers?: true
  /** What is captured in the page for it. A cookie name that ends in `*` means every cookie that begins so. */
  captures?: readonly { query?: string; cookie?: string }[]
  /** The variable in which the customer names one more parameter of the page that is captured. */
  clickParam?: keyof S & string
  /** A part of it runs in the page: `src/browser/window/modules/<providerId>.ts`. */
  inPage?: true
  /** Older events are skipped as `tooOld`. */
  maxAgeMs?: number
  /** The vendor's field that carries the eventId, or why there is none. */
  dedup: string
  before?: Before<NoInfer<S>>
  request(on: Dispatch<U>, secrets: SecretsOf<S>, name: string): Send | readonly Send[] | Skip
  /** What is said of an event in place of sending it: kept with its delivery. Then `request` gives an empty list. */
  records?(event: TagEvent): readonly string[]
  many?: Many
  /** What `request` describes is handed to code of the customer's: one request, its address `codeUrl`. */
  code?: Code & { source: keyof NoInfer<S>; values: keyof NoInfer<S> }
  /** The same request for the vendor's own test mode; undefined where these secrets have none. Absent: there is none. */
  test?(send: Send, secrets: SecretsOf<S>): Send | undefined
  answers?: readonly AnswerRule[]
  examples: readonly Example<NoInfer<S>>[]
}

/** Where a request goes that is handed to code: nowhere. */
export const codeUrl = 'code:run'

const labelCheck = (text: string) =>
  isLabel(text) ? undefined : 'Write only lower-case letters, digits and dashes, at most 63.'

/** Whether a text can stand as one label of a host name, and nothing more. */
export const isLabel = (text: string) => /^[a-z0-9-]{1,63}$/.test(text)

const filledIn = (secrets: SecretSpecs, onboarding: string | undefined): SecretSpecs =>
  Object.fromEntries(
    Object.entries(secrets).map(([variable, spec]) => [
      variable,
      {
        ...(onboarding && { helpLink: onboarding }),
        ...spec,
        ...(spec.isHostLabel && { check: labelCheck }),
        ...(spec.default && !spec.placeholder && { placeholder: spec.default }),
      },
    ]),
  )

/** Keeps the types of secrets and user fields, so that an unknown one does not compile. */
export const provider = <const S extends SecretSpecs, const U extends UserRules>(form: Provider<S, U>): Provider =>
  ({ ...form, secrets: filledIn(form.secrets, form.links?.onboarding) }) as unknown as Provider

/** `[value]`, or undefined where there is none. */
export const list = <T>(value: T | undefined): T[] | undefined => (value === undefined ? undefined : [value])

/** Each member in a list of its own, as vendors ask for what a person may have several of. */
export function lists<K extends string>(
  members: Readonly<Partial<Record<K, string | undefined>>>,
): Partial<Record<K, string[]>> {
  const listed: Partial<Record<K, string[]>> = {}
  for (const key in members) if (members[key] !== undefined) listed[key] = [members[key]]
  return listed
}

/** The object, or undefined where none of its members is there. */
export const some = <T extends object>(members: T): T | undefined =>
  Object.values(members).some((member) => member !== undefined) ? members : undefined

/** Every standard event under its own name. */
export const ownNames = Object.fromEntries(Object.keys(standardEvents).map((name) => [name, name])) as Readonly<
  Record<StandardEvent, string>
>
