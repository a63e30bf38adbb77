import type { DeliveryReason } from '#contract/deliveryStatus.ts'
import type { EventData, EventItem, TagEvent } from '#contract/event.ts'
import type { ConsentSignals } from './consentSignals.ts'
import type { UserRules } from './userRule.ts'

/** Click ids and cookies by name, and when each value was captured (epoch ms). */
export type CapturedValues = Readonly<Record<string, { value: string; at: number }>>

/** The session of a visitor in which an event happened. `startedAt`: epoch ms. */
export type EventSession = { readonly sessionId: string; readonly startedAt: number }

/** One event for one provider. All members are frozen. */
export type RequestContext<U extends UserRules = UserRules> = {
  /** `tag`: an event of a page or an app. `user`: an update of a person's known values; its `data` holds the keys. */
  kind: 'tag' | 'user'
  /** The known fields have the types of the contract or are absent, whatever the sender sent. */
  event: TagEvent
  /** `event.data`. Empty if the event has none. */
  data: EventData
  /** `event.data.contents`. Empty if the event has none. */
  items: readonly EventItem[]
  /** `event.data.orderId`, otherwise the eventId. Vendors remove duplicates by this key. */
  orderId: string
  /** The first discount code. */
  coupon?: string
  /** The event as it was sent, without the personal keys in `storage.kv`. For providers that forward it whole. */
  payload: TagEvent
  /** The fields that `user` declares, normalised and hashed as declared. Absent if the value is not known. */
  user: { readonly [K in keyof U]?: string }
  /** The custom keys of the person. */
  custom: Readonly<Record<string, unknown>>
  /** `data.value`, gross or net according to the script's setting. */
  value?: number
  captured: CapturedValues
  /** Absent if the event belongs to no visit, or if the person shares nothing. */
  session?: EventSession
  consent: ConsentSignals
  /** The access token from `tokenRequest`. Empty if the provider has none. */
  token: string
  /** When the request is built: epoch ms. */
  now: number
}

/** The fields of a query or a form. Undefined fields are omitted. */
export type RequestParams = Readonly<Record<string, string | number | undefined>>

/** How a request is signed. The time of the signature is the `now` of the context. */
export type Signature =
  /**
   * Standard Webhooks: adds `webhook-id`, `webhook-timestamp`, `webhook-signature` over the body. The secret is
   * `whsec_…` or any text.
   */
  | { standardWebhooks: string; id: string }
  /** AWS Signature Version 4: adds `authorization`, `x-amz-date`, and `x-amz-security-token` with a session token. */
  | { aws4: { service: string; region: string; accessKeyId: string; secretAccessKey: string; sessionToken?: string } }
  /** OAuth 1.0a with HMAC-SHA1: adds `authorization`. The signature covers a form body and not a JSON body. */
  | { oauth1: { consumerKey: string; consumerSecret: string; token: string; tokenSecret: string } }

/** One request. Undefined members of `query`, of `headers` and of the body are omitted. */
export type RequestSpec = {
  url: string
  /** Default: POST with a body, GET without one. */
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  query?: RequestParams
  headers?: Readonly<Record<string, string | undefined>>
  /**
   * The body: at most one of `json`, `form`, `ndjson`, `xml`, `text`. `content-type` in `headers` overrides the default
   * of these.
   */
  json?: unknown
  form?: RequestParams
  /** One JSON value per line. */
  ndjson?: readonly unknown[]
  /**
   * The root element with its content. A list is a repeated element, a member `@name` is an attribute, `#text` is the
   * text beside attributes.
   */
  xml?: { readonly [root: string]: unknown }
  text?: string
  /**
   * The body is compressed when it is sent. Signatures cover the uncompressed body, so `gzip` cannot be combined with
   * `aws4`.
   */
  gzip?: true
  sign?: Signature | undefined
}

/** The reason why an event is not sent. */
export type Skip = { skipped: DeliveryReason }
