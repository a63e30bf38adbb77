import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { EventResult } from '#contract/event.ts'
import type { Issue } from '#contract/schema.ts'
import type { SourceName } from '#contract/sourceNames.ts'

/** A request to a source. `path` is the part of the URL after the tag URL. */
export type SourceRequest = {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
}

/** The same with its body, and what the tag knows of the caller. */
export type SourceInput = SourceRequest & {
  body: Buffer
  /** The request carried the secret key of the source. */
  trusted: boolean
  /** `Service`: an event carries its consent at `storage.service.consent`. */
  brand: string
  /** Epoch ms. */
  receivedAt: number
  /** What `parse` returned. */
  payload?: unknown
  /** The key of the body is another one than that of the request, which counts. */
  hasOtherKey?: boolean
}

/**
 * One message of a source as our event. `deviceId`: the id that the sender's SDK made for the browser or device. The id
 * of the sender's own system is the customer id of the event.
 */
export type SourceEvent = {
  /** `user`: an update of user data; `event.data` holds the keys. */
  kind?: 'user'
  deviceId?: string
  event: Record<string, unknown>
  /** The message is rejected for these reasons. */
  issues?: readonly Issue[]
}

/** The result of one message, as the answer may tell it: without our user ids. */
export type SourceResult = Omit<EventResult, 'userId' | 'deliveries'>

/** What an SDK asks for before it sends. `tagUrl`: as the caller sees it. `now`: epoch ms. */
export type SettingsAnswer = (of: { key: string; tagUrl: string; tagId: string; now: number }) => object

type SourceAnswer = { status: number; headers?: OutgoingHttpHeaders; body?: string | Buffer }

/** A protocol of another product: its addresses, its key, and how its messages are mapped to events. Pure. */
export type Source = {
  name: SourceName
  /** Its messages hold JSON in base64 or in the query, where the body does not show its escapes. */
  hasEncodedJson?: true
  /** The methods of an address of the protocol; undefined for any other address. */
  methodsOf(path: string): readonly ('GET' | 'POST')[] | undefined
  /** The key that a request carries; undefined without one. */
  keyOf(request: SourceRequest): string | undefined
  /** A body as JSON, and the key that it names. For a source whose SDKs name their key there. Throws jsonBroken. */
  parse?(body: Buffer): { payload: unknown; key: string | undefined }
  /** The settings that a GET asks for: its key and the answer; undefined for any other request. */
  settingsAt?(request: SourceRequest): { key: string; isKeyInUrl: boolean; answer: SettingsAnswer } | undefined
  /** Headers that pages may send, besides those of the tag URL. */
  corsHeaders?: readonly string[]
  /** Further headers of the answer to OPTIONS. */
  optionsHeaders?(request: SourceRequest): OutgoingHttpHeaders
  /** The messages of a request, in order. Throws the faults jsonBroken and badRequest. */
  read(input: SourceInput): SourceEvent[]
  /** The answer when all messages are on disk. */
  answer(results: readonly SourceResult[], request: SourceRequest): SourceAnswer
}
