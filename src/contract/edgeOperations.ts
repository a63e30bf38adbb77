import { InitResponse, StoredResponse, UserDataResponse, UserKeysResponse } from './edgeResponses.ts'
import { EventPayload, EventResult } from './event.ts'
import type { FaultName } from './fault.ts'
import { PreviewState } from './previewLink.ts'
import { EpochMs, Nullable, OptionalText, type TObject, type TSchema, Type } from './schema.ts'

/** One call below a tag's URL, as in the OpenAPI document. */
export type EdgeOperation = {
  method: 'GET' | 'POST'
  /** The part after the tag URL. */
  path: string
  summary: string
  description: string
  query?: TObject
  body?: TSchema
  /** The JSON body of a 200. Absent if the response has another type. */
  response?: TSchema
  /** The media type of a 200 that is not JSON. `any`: the customer's code chooses the media type and the status. */
  mediaType?: 'text/javascript' | 'any'
  /** The call identifies no user. */
  hasNoUser?: true
  faults: readonly FaultName[]
  example: { body?: unknown; response?: unknown }
}

const tokenFaults = ['teamIdMissing', 'tokenRefused', 'teamRefused', 'scopeMissing'] as const
const tagFaults = ['httpBroken', 'originRefused', 'tagUnknown', 'headersTooLarge', 'loopRefused', 'internal'] as const
const callFaults = [
  ...tokenFaults,
  ...tagFaults,
  ...(['serverTokenRequired', 'intakeRateExceeded', 'badRequest', 'databaseAway'] as const),
] as const
const bodyFaults = [
  ...(['jsonBroken', 'requestTimeout', 'bodyTooLarge', 'contentTypeRefused', 'overloaded'] as const),
  ...(['databaseReadOnly', 'commitUnknown'] as const),
] as const

/** The faults of `POST {tag_url}/tag`. */
export const eventFaults = [...callFaults, ...bodyFaults] as const satisfies readonly FaultName[]

const Event = Type.Object({
  ...EventPayload.properties,
  eventName: Type.String({ ...EventPayload.properties.eventName, minLength: 1, maxLength: 200 }),
  eventId: Type.String({ ...EventPayload.properties.eventId, minLength: 1, maxLength: 500 }),
  timestamp: EpochMs({ description: 'epoch ms: at most 7 days back and 10 minutes ahead' }),
})

const Value = Type.Unknown({ description: 'a text, number, boolean, list or object; null deletes the key' })
const Key = Type.String({ minLength: 1, maxLength: 500 })
const Maps = Nullable(Type.Record(Type.String(), Type.Unknown()))

const userId = 'usr_7n2k9x4m1q8w5e3r6t0y2p4s8d'
const stored = { result: { status: 'accepted', userId } }
const event = {
  eventName: 'Purchase',
  eventId: 'order-1001',
  timestamp: Date.UTC(2026, 10, 20, 12),
  userEmail: 'jane@example.com',
  data: { value: 84.9, currency: 'EUR', orderId: '1001', contents: [{ id: 'sku-1', quantity: 1, item_price: 84.9 }] },
  storage: { service: { consent: { all: true } } },
}
const initChannel = {
  package: 'facebook',
  category: 'advertising',
  variables: {},
  rules: { capture: [{ type: 'query', key: 'fbclid', persist: 'edge' }] },
  purchaseValueMode: 'gross',
}

/** The calls below a tag's URL. */
export const edgeOperations = {
  sendEvents: {
    method: 'POST',
    path: '/tag',
    summary: 'Sends one event, or an array of up to 500',
    description:
      'The answer is 200 once the events are on disk. An array is 200 if one of its events is good, and has one result for ' +
      'each; it is 400 with the results if every event is refused.',
    query: Type.Object({
      sync: Type.Optional(
        Type.Enum(['true', 'false'], { description: '`true` waits up to 10 s for the deliveries of one event' }),
      ),
    }),
    body: Type.Union([Event, Type.Array(Event, { minItems: 1, maxItems: 500 })]),
    response: Type.Object({ result: Type.Union([EventResult, Type.Array(EventResult)]) }),
    faults: eventFaults,
    example: { body: event, response: { result: { eventId: 'order-1001', userId, status: 'accepted' } } },
  },
  initPage: {
    method: 'GET',
    path: '/init',
    summary: 'Starts a page: the user, the session, the consent and the channels of the tag',
    description:
      'It creates the user if needed and sets the user cookie. A page of another site that opens it is refused.',
    query: Type.Object({
      userId: Type.Optional(
        Type.String({ maxLength: 200, description: 'the user, if no header names one; sets no cookie' }),
      ),
      consentDisabled: OptionalText('is ignored: the setting of the tag decides'),
    }),
    response: InitResponse,
    faults: [...callFaults, 'navigationRefused'],
    example: {
      response: {
        result: [initChannel],
        userId,
        isNewUser: false,
        session: { sessionId: '1795176000', isNewSession: true },
        consent: { consent: { all: true } },
      },
    },
  },
  storeUserKey: {
    method: 'POST',
    path: '/user',
    summary: 'Stores one standard or custom key of the user',
    description:
      'Without a user in the call nothing is stored. Fields of an event, such as `pageUrl`, are accepted too.',
    body: Type.Object({ key: Key, value: Value }),
    response: StoredResponse,
    faults: [...callFaults, ...bodyFaults],
    example: { body: { key: 'email', value: 'jane@example.com' }, response: stored },
  },
  storeUserData: {
    method: 'POST',
    path: '/data',
    summary: 'Stores several keys of the user',
    description: 'Without a user in the call nothing is stored.',
    body: Type.Object({ data: Type.Record(Type.String(), Type.Unknown()) }),
    response: StoredResponse,
    faults: [...callFaults, ...bodyFaults],
    example: { body: { data: { size: 'M', tier: 'gold' } }, response: stored },
  },
  readUserData: {
    method: 'GET',
    path: '/data',
    summary: 'Reads keys of the user',
    description: 'A standard key, such as `email`, is shown as whether it is known; a custom key with its value.',
    query: Type.Object({
      keys: Type.String({
        description: 'names, separated by commas',
        documented: { pattern: '^[^,\\s]+(,[^,\\s]+)*$' },
      }),
      userEmail: Type.Optional(
        Type.String({ description: 'the user, for a call with an access token', documented: { format: 'email' } }),
      ),
    }),
    response: UserDataResponse,
    faults: callFaults,
    example: { response: { result: { email: true, size: 'M' } } },
  },
  readUserKeys: {
    method: 'GET',
    path: '/keys',
    summary: 'Lists the keys that are known of the user',
    description: 'The names of standard and custom keys, without values.',
    response: UserKeysResponse,
    faults: callFaults,
    example: { response: { result: ['email', 'size'] } },
  },
  storeConsent: {
    method: 'POST',
    path: '/consent',
    summary: 'Stores the consent of the user, and sends the events that wait for it',
    description:
      'One of the three is required. Keys of the maps are `all`, provider ids, or categories; `consentTexts` has the TC string as an event has it.',
    body: Type.Object({ consentString: Maps, consentCategories: Maps, consentTexts: Maps }),
    response: StoredResponse,
    faults: [...callFaults, ...bodyFaults],
    example: { body: { consentString: { all: true }, consentCategories: { advertising: false } }, response: stored },
  },
  loadSdk: {
    method: 'GET',
    path: '/load',
    summary: 'The browser SDK with the modules and adapters of the tag',
    description: 'It is cached for five minutes; a named version for a year. 304 answers a matching `If-None-Match`.',
    query: Type.Object({
      version: Type.Optional(Type.String({ maxLength: 100, description: 'a version of the manifest' })),
      module: Type.Optional(Type.String({ maxLength: 100, description: 'one module of that version' })),
      adapters: Type.Optional(
        Type.String({
          description: 'adapters, separated by commas, instead of those of the tag: `dataLayer,fbq`',
          documented: { pattern: '^[A-Za-z]+(,[A-Za-z]+)*$' },
        }),
      ),
    }),
    mediaType: 'text/javascript',
    hasNoUser: true,
    faults: [...tagFaults, 'badRequest', 'notFound'],
    example: { response: 'window.aglet = …' },
  },
  readPreview: {
    method: 'GET',
    path: '/preview',
    summary: 'What the preview link of the call opens',
    description:
      'The header `Aglet-Preview` has the code of a link. A call with a code that opens nothing is an ordinary call.',
    response: Type.Object({ result: PreviewState }),
    hasNoUser: true,
    faults: callFaults,
    example: {
      response: {
        result: {
          previewId: 'prv_01jd0000000000000000000000',
          deliver: 'none',
          expiresAt: Date.UTC(2026, 10, 20, 13),
          left: 500,
        },
      },
    },
  },
  callWebhook: {
    method: 'POST',
    path: '/webhook/{scriptId}',
    summary: 'Runs the code of a webhook channel and returns its response',
    description:
      'Any body up to the limit of the sandbox. `Authorization` is the webhook’s own token (`WEBHOOK_TOKEN`), and no access ' +
      'token. The code chooses the status, the type and the body of the answer.',
    mediaType: 'any',
    hasNoUser: true,
    faults: [
      ...tagFaults,
      ...(['webhookTokenRefused', 'notFound', 'bodyTooLarge', 'jsonBroken', 'requestTimeout'] as const),
      ...(['intakeRateExceeded', 'webhookFailed', 'webhookOff', 'overloaded'] as const),
    ],
    example: {},
  },
} as const satisfies Record<string, EdgeOperation>
