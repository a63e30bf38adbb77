import { Type } from '#contract/schema.ts'
import { simpleVendor } from './simpleVendor.ts'
import { bearerOf, currency, digest, type Got, isRecent, only, text, unless } from './vendor.ts'

const amount = Type.Number({ minimum: 0 })
const User = only({
  em: digest,
  ph: digest,
  ...Object.fromEntries(
    ['externalId', 'anonymousId', 'msclkid', 'clientIpAddress', 'clientUserAgent'].map((key) => [key, text]),
  ),
})
const Custom = only({
  value: amount,
  currency,
  transactionId: text,
  searchTerm: text,
  pageType: Type.Enum(['home', 'product', 'category', 'searchresults', 'cart', 'purchase', 'other']),
  itemIds: Type.Array(text, { minItems: 1 }),
  items: Type.Array(only({ id: text, name: text, price: amount, quantity: Type.Integer({ minimum: 1 }) })),
  ecommTotalValue: amount,
})
const shared = {
  eventId: text,
  eventTime: Type.Integer(),
  eventSourceUrl: Type.Optional(text),
  pageTitle: Type.Optional(text),
  referrerUrl: Type.Optional(text),
  adStorageConsent: Type.Optional(Type.Enum(['G', 'D'])),
  userData: User,
  customData: Type.Optional(Custom),
}
const Event = Type.Union([
  Type.Object({ eventType: Type.Literal('pageLoad'), ...shared }, { additionalProperties: false }),
  Type.Object({ eventType: Type.Literal('custom'), eventName: text, ...shared }, { additionalProperties: false }),
])

type Row = { eventTime?: number; userData?: object }
const rowsOf = ({ json }: Got) => ((json ?? {}) as { data?: Row[] }).data ?? []

const error = (status: number, code: string) => (message: string) => ({ status, json: { error: { code, message } } })

/** https://learn.microsoft.com/en-us/advertising/guides/uet-conversion-api-integration */
export const bing = simpleVendor({
  hosts: /^capi\.uet\.microsoft\.com$/,
  path: /^\/v1\/\d+\/events$/,
  key: bearerOf,
  json: Type.Object({
    data: Type.Array(Event, { minItems: 1, maxItems: 1_000 }),
    dataProvider: text,
    continueOnValidationError: Type.Boolean(),
  }),
  also: (got, now) =>
    rowsOf(got).flatMap(({ eventTime = 0, userData = {} }) => [
      ...unless(isRecent(eventTime, 7, now), 'eventTime is out of range.'),
      ...unless(Object.keys(userData).length > 0, 'A key in userData is required.'),
    ]),
  good: { status: 200, json: { eventsReceived: 1 } },
  badKey: error(401, 'Unauthorized'),
  badPayload: error(400, 'ValidationError'),
  failures: {
    invalidEvent: {
      reply: (errorMessage) => ({
        status: 200,
        json: {
          eventsReceived: 0,
          error: { code: 'ValidationError', message: errorMessage, details: [{ index: 0, errorMessage }] },
        },
      }),
      means: 'payloadRefused',
    },
    noAccess: { reply: error(403, 'Forbidden'), means: 'payloadRefused' },
    throttled: { reply: error(429, 'TooManyRequests'), means: 'throttled' },
  },
})
