import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { EventResult } from '#contract/event.ts'
import type { Issue } from '#contract/schema.ts'
import type { SourceName } from '#contract/sourceNames.ts'
import type { OpenShop } from '#tag/shop.ts'

/** A request to a source. `path`: the part of the URL after the tag URL. */
export type SourceRequest = {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
}

export type SourceInput = SourceRequest & {
  body: Buffer
  /** True if the request had the secret key of the source. */
  trusted: boolean
  /** `Service`: an event carries its consent at `storage.service.consent`. */
  brand: string
  /** Epoch ms. */
  receivedAt: number
  /** What `parse` returned. */
  payload?: unknown
  /** True if the body has another key than the request. The key of the request takes precedence. */
  hasOtherKey?: boolean
}

/**
 * One message of a source as our event. `deviceId`: the id that the sender's SDK generated for the browser or device.
 * The id in the sender's own system becomes the customer id of the event.
 */
export type SourceEvent = {
  /** `user`: an update of user data; `event.data` holds the keys. `consent`: an answer without an event. */
  kind?: 'user' | 'consent'
  deviceId?: string
  /** Our user id, which a page stored and the sender passes on. */
  userId?: string
  event: Record<string, unknown>
  /** Why the message is rejected. */
  issues?: readonly Issue[]
}

/** The result of one message as sent to the caller, without our user ids. */
export type SourceResult = Omit<EventResult, 'userId' | 'deliveries'>

/** Settings that an SDK requests before it sends. `tagUrl`: as the caller sees it. `now`: epoch ms. */
export type SettingsAnswer = (of: { key: string; tagUrl: string; tagId: string; now: number }) => object

type SourceAnswer = { status: number; headers?: OutgoingHttpHeaders; body?: string | Buffer }

/** A protocol of another product: its addresses, its key, and how its messages become events. Pure. */
export type Source = {
  name: SourceName
  /** The messages contain JSON in base64 or in the query, so that the body does not show its escapes. */
  hasEncodedJson?: true
  /** The methods of an address of the protocol; undefined for any other address. */
  methodsOf(path: string): readonly ('GET' | 'POST')[] | undefined
  /** The key that a request carries; undefined without one. */
  keyOf(request: SourceRequest): string | undefined
  /** Parses a body and reads the key in it, for sources whose SDKs put their key there. Throws jsonBroken. */
  parse?(body: Buffer): { payload: unknown; key: string | undefined }
  /** The settings that a GET requests: its key and the answer; undefined for any other request. */
  settingsAt?(request: SourceRequest): { key: string; isKeyInUrl: boolean; answer: SettingsAnswer } | undefined
  /** Headers that pages may send, besides those of a tag URL. */
  corsHeaders?: readonly string[]
  /** Further headers of the answer to OPTIONS. */
  optionsHeaders?(request: SourceRequest): OutgoingHttpHeaders
  /** True if a page with the opaque origin `null` (a sandboxed frame) may call an address. */
  takesOpaqueOrigin?(path: string): boolean
  /** The webhooks that the shop signs. Calls to all other addresses have the key of the source. */
  webhook?: ShopWebhook
  /** The messages of a request, in order. Throws the faults jsonBroken and badRequest. */
  read(input: SourceInput): SourceEvent[]
  /** The answer when all messages are on disk. */
  answer(results: readonly SourceResult[], request: SourceRequest): SourceAnswer
}

/** An order as the shop lists it. No field holds personal data. */
export type ShopOrder = {
  orderId: string
  aliases: string[]
  placedAt: number
  updatedAt: number
  status: 'placed' | 'paid' | 'cancelled' | 'refunded' | 'test'
  salesChannel?: string
  value: number
  currency: string
  tax?: number
  shipping?: number
  discount?: number
  refunded?: number
}

/** `now`: epoch ms. */
export type ShopRequest = { headers: IncomingHttpHeaders; body: Buffer; now: number }

/**
 * The content of a webhook. `purchase`: the event of the order, even if it is not sent now, because a later repair can
 * send it. `refundOf`: the order's `purchase-…` event, which supplies the person, the consent and the order number.
 * `ignored`: why the webhook has no effect.
 */
export type ShopMessage = {
  order?: ShopOrder
  purchase?: SourceEvent
  events: SourceEvent[]
  refundOf?: string
  ignored?: string
}

/** Reads JSON of the shop's API. Undefined where the API answers 404. Rejects if it does not answer. */
export type FetchShop = (path: string) => Promise<unknown>

/** The webhooks of a shop. Pure, except that `read` may request missing data from the shop. */
export type ShopWebhook = {
  path: string
  /**
   * True for a call that only tests the address, without a signature. It is answered with 200 and nothing is stored.
   */
  isPing?(request: ShopRequest): boolean
  isSigned(request: ShopRequest, shop: OpenShop): boolean
  /** The API of the shop. Absent if webhooks are complete. */
  api?(shop: OpenShop): { url: string; headers: Record<string, string> }
  read(
    request: ShopRequest & { brand: string },
    shop: OpenShop,
    fetchShop: FetchShop,
  ): ShopMessage | Promise<ShopMessage>
}
