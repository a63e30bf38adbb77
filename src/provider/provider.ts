import { type StandardEvent, standardEvents, type TagEvent } from '#contract/event.ts'
import type { Reason } from '#contract/outcome.ts'
import type { ConsentCategory, SecretType, ValueMode } from '#contract/script.ts'
import type { UserRules } from './identity.ts'

/** A variable that the customer sets. PASSWORD is sensitive, the other types are not, unless it is said. */
export type SecretSpec = {
  label: string
  type: SecretType
  optional?: true
  sensitive?: boolean
  description?: string
  placeholder?: string
  helpLink?: string
  /** Why this sensitive value stands in the address: the vendor takes it nowhere else. */
  inAddress?: string
  /** The page's part of the channel reads it, the request does not. */
  usedBy?: 'browser'
  /** What is wrong with a value that is about to be written: a sentence that does not repeat it; undefined when it is good. */
  check?(text: string): string | undefined
}
type SecretSpecs = Record<string, SecretSpec>

export const isSensitive = ({ sensitive, type }: SecretSpec) => sensitive ?? type === 'PASSWORD'

/** What the provider is given: optional secrets may be absent (never empty), the others never are. */
export type SecretsOf<S extends SecretSpecs> = {
  readonly [K in keyof S as S[K] extends { optional: true } ? never : K]: string
} & { readonly [K in keyof S as S[K] extends { optional: true } ? K : never]?: string }

/** A click id or cookie of the vendor, by its own name, and when it was seen (epoch ms). */
export type Captured = Readonly<Record<string, { value: string; at: number }>>

/** One event on its way to one provider. Frozen: a provider changes nothing. */
export type Dispatch<U extends UserRules = UserRules> = {
  /** Known fields are of the contract's types or absent, whatever the sender sent. */
  event: TagEvent
  /** The event as it came, but for the person's raw keys in `storage.kv`: for those who hand it on whole. */
  payload: TagEvent
  /** The fields that `user` declares, normalised and hashed as declared; absent where the person is not known by them. */
  user: { readonly [K in keyof U]?: string }
  /** The person's custom keys. */
  custom: Readonly<Record<string, unknown>>
  /** `data.value`, gross or net as the script says. */
  value?: number
  captured: Captured
  /** The clock, epoch ms. */
  now: number
}

/** A description of one request. Undefined members of `query`, `headers`, `json` and `form` are left out. */
export type Send = {
  url: string
  /** POST with a body, GET without, unless it is said. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  query?: Readonly<Record<string, string | number | undefined>>
  headers?: Readonly<Record<string, string | undefined>>
  /** The body: one of these, or none. */
  json?: unknown
  form?: Readonly<Record<string, string | number | undefined>>
  /** Standard Webhooks: adds `webhook-id`, `webhook-timestamp`, `webhook-signature` over the body. The secret is `whsec_…` or any text. */
  sign?: { standardWebhooks: string; id: string } | undefined
}
/** An event that this provider does not send, and why. */
export type Skip = { skipped: Reason }

export type Verdict = 'delivered' | 'again' | 'refused' | 'keyRejected'

/**
 * How an answer is to be read where it differs from the usual (2xx delivered; 408, 425, 429, 5xx again; 401 keyRejected;
 * the rest refused). The first row that fits decides. `at` is a path into a JSON body, `in` the values that fit there
 * (any, when absent). `throttled` is `again` because it was too much.
 */
export type AnswerRule = {
  status?: number
  at?: string
  in?: readonly (string | number | boolean)[]
  is: Verdict | 'throttled'
}

export type Example<S extends SecretSpecs = SecretSpecs> = {
  title: string
  /** What it leaves out of an event is filled in: `eventId` and `timestamp`. */
  event: { readonly eventName: string; readonly [field: string]: unknown }
  /** Standard keys, `userId`, `ip`, `userAgent`. */
  user?: Readonly<Record<string, string>>
  custom?: Readonly<Record<string, unknown>>
  captured?: Readonly<Record<string, string>>
  purchaseValueMode?: ValueMode
  secrets: SecretsOf<S>
  /** What goes over the wire, the body as its JSON value or its text; or why nothing does. */
  sends: readonly { method?: string; url: string; headers?: Record<string, string>; body?: unknown }[] | Skip
}

/** All there is to know about one provider. What has an obvious default is written only where it differs. */
export type Provider<S extends SecretSpecs = SecretSpecs, U extends UserRules = UserRules> = {
  label: string
  stage: 'draft' | 'beta' | 'live'
  /** The category a script of it has unless it says otherwise, and the others it may be given. */
  consent: readonly [ConsentCategory, ...ConsentCategory[]]
  docs: string
  dashboardUrl?: string
  links?: { onboarding?: string; introduction?: string; faq?: string }
  isSingleton?: true
  hasActivation?: true
  isApp?: true
  appPlatforms?: readonly string[]
  hidePurchaseValueMode?: true
  /** Who names the host: the file, a secret that fills one label of it, or the customer. Only `fixed` skips the outbound guard. */
  host: 'fixed' | 'label' | 'customer'
  secrets: S
  /** ours: theirs. A standard event that is not listed is not sent. */
  events: Readonly<Partial<Record<StandardEvent, string>>>
  /** The vendor's name for a custom event; absent or undefined: it is not sent. */
  custom?(eventName: string): string | undefined
  /** theirs: what of the person goes there, and how. Raw values of a person stand in no other field. */
  user: U
  /** Without one of these user fields or captures nothing is sent: `identityMissing`. */
  requires?: readonly ((keyof U & string) | `captured.${string}`)[]
  /** What is captured in the page for it. A cookie name that ends in `*` means every cookie that begins so. */
  captures?: readonly { query?: string; cookie?: string }[]
  /** Older events are skipped as `tooOld`. */
  maxAgeMs?: number
  /** The vendor's field that carries the eventId, or why there is none. */
  dedup: string
  request(on: Dispatch<U>, secrets: SecretsOf<S>, name: string): Send | readonly Send[] | Skip
  answers?: readonly AnswerRule[]
  examples: readonly Example<S>[]
}

/** Keeps the types of secrets and user fields, so that an unknown one does not compile. */
export const provider = <const S extends SecretSpecs, const U extends UserRules>(form: Provider<S, U>): Provider =>
  form as unknown as Provider

/** `[value]`, or undefined where there is none. */
export const list = <T>(value: T | undefined): T[] | undefined => (value === undefined ? undefined : [value])

/** The object, or undefined where none of its members is there. */
export const some = <T extends object>(members: T): T | undefined =>
  Object.values(members).some((member) => member !== undefined) ? members : undefined

/** Every standard event under its own name. */
export const ownNames = Object.fromEntries(Object.keys(standardEvents).map((name) => [name, name])) as Readonly<
  Record<StandardEvent, string>
>
