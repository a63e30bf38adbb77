import { reasons, statuses } from './deliveryStatus.ts'
import { epochMsForm, type Static, Type } from './schema.ts'

const text = (description: string) => Type.Optional(Type.String({ description }))
const amount = (description: string) => Type.Optional(Type.Number({ description }))

export const EventItem = Type.Object({
  id: text('product id, as in the product feed of the vendors'),
  quantity: amount('number of pieces; absent counts as 1'),
  item_price: amount('price of one piece, in the currency of the event'),
  title: text('product name'),
  category: text('product category'),
  image: text('URL of a picture'),
  url: text('URL of the product page'),
  variantId: text('id of the variant, such as a size or colour'),
  sku: text('stock keeping unit'),
  brand: text('brand'),
  description: text('product description'),
  type: text('product type'),
})
export type EventItem = Static<typeof EventItem>

/** The channels of an event: `{all: true, facebook: false, klaviyo: {scriptName: true}}`, or a list of provider ids. */
export type ProviderSelection = string[] | Record<string, boolean | Record<string, boolean>>

/** A consent map: keys are `all`, provider ids or categories; the value of a provider may be a map of script names. */
export type ConsentMap = Record<string, boolean | Record<string, boolean>>

/**
 * The fields that an event must have to be accepted. Other invalid fields are stored unchanged and reported by the
 * `validation` provider. Unknown fields are stored.
 */
export const RequiredEventFields = Type.Object({
  eventName: Type.String({ minLength: 1, maxLength: 200 }),
  eventId: Type.String({ minLength: 1, maxLength: 500 }),
  timestamp: Type.Number(),
  data: Type.Optional(Type.Union([Type.Object({}), Type.Null()])),
  providers: Type.Optional(Type.Union([Type.Object({}), Type.Array(Type.String()), Type.Null()])),
  storage: Type.Optional(Type.Union([Type.Object({}), Type.Null()])),
})

/** Event data as documented. Senders may send other types. */
export const EventData = Type.Object({
  value: amount('value of the event, in `currency`'),
  currency: text('ISO 4217 code: `EUR`'),
  contents: Type.Optional(Type.Array(EventItem, { description: 'the products' })),
  orderId: text('order number of the shop'),
  search: text('the words that a visitor searched for'),
  tax: amount('tax in `value`'),
  shipping: amount('shipping costs in `value`'),
  discount: amount('total discount'),
  valueBeforeDiscount: Type.Optional(
    Type.Boolean({ description: 'true: `discount` is not subtracted from `value` yet' }),
  ),
  discounts: Type.Optional(
    Type.Array(
      Type.Object({
        code: text('code of the voucher'),
        type: Type.Optional(Type.Enum(['FLAT', 'PERCENTAGE'])),
        value: amount('amount or percentage'),
      }),
      { description: 'the vouchers: `{code, type, value}`, type `FLAT` or `PERCENTAGE`' },
    ),
  ),
  checkoutUrl: text('URL at which the checkout can be continued'),
})
export type EventData = Static<typeof EventData> & Record<string, unknown>

/** The Event payload of the interface. */
export const EventPayload = Type.Object({
  eventName: Type.String({ description: 'a standard event, or a name of your own; 1 to 200 characters' }),
  eventId: Type.String({
    description:
      'unique for the tag within 7 days: a repeat is a `duplicate` and is not delivered; 1 to 500 characters',
  }),
  timestamp: Type.Number({
    description: 'epoch time in milliseconds: at most 7 days back and 10 minutes ahead',
    documented: epochMsForm,
  }),
  data: Type.Optional(EventData),
  pageTitle: text('title of the page'),
  pageUrl: text('URL of the page'),
  referrer: text('URL of the page before'),
  search: text('query string of the page, beginning with `?`; click ids are read from it'),
  userAgent: text('user agent of the visitor, where the request is not the visitor’s own'),
  providers: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Array(Type.String())], {
      description: 'the channels of this event; absent means all',
    }),
  ),
  storage: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'consent, user keys and captured values' }),
  ),
  userEmail: text('e-mail of the user'),
  app: Type.Optional(
    Type.Unknown({
      description:
        'for an event of an app: `{platform: ios|android, id, name, version, build, osVersion, model, locale, adTracking, …}`',
    }),
  ),
  source: Type.Optional(
    Type.Unknown({
      description:
        'for an event that came by a source of the tag: `{name, type, userId, notes}`; notes: what is not mapped',
    }),
  ),
})
export type TagEvent = Omit<Static<typeof EventPayload>, 'data' | 'providers' | 'storage'> & {
  data?: EventData
  providers?: ProviderSelection
  storage?: Record<string, unknown>
  ip?: string
  [other: string]: unknown
}

export const EventResult = Type.Object({
  eventId: Type.String(),
  userId: Type.String(),
  status: Type.Enum(['accepted', 'duplicate', 'rejected']),
  previewId: Type.Optional(
    Type.String({ description: 'the preview of the call: the event is neither stored nor counted' }),
  ),
  message: Type.Optional(Type.String({ description: 'why an event of an array is `rejected`' })),
  warnings: Type.Optional(Type.Array(Type.String(), { description: 'accepted, but probably a mistake' })),
  deliveries: Type.Optional(
    Type.Array(
      Type.Object({
        scriptId: Type.String(),
        providerId: Type.String(),
        status: Type.Enum([...statuses]),
        reason: Type.Optional(Type.Enum([...reasons])),
      }),
      { description: 'with `?sync=true`' },
    ),
  ),
})
export type EventResult = Static<typeof EventResult>
