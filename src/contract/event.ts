import { reasons, statuses } from './deliveryStatus.ts'
import { epochMsForm, OptionalFlag, OptionalNumber, OptionalText, type Static, Type } from './schema.ts'

export const EventItem = Type.Object({
  id: OptionalText('product id, as in the product feed of the vendors'),
  quantity: OptionalNumber('number of pieces; absent counts as 1'),
  item_price: OptionalNumber('price of one piece, in the currency of the event'),
  title: OptionalText('product name'),
  category: OptionalText('product category'),
  image: OptionalText('URL of a picture'),
  url: OptionalText('URL of the product page'),
  variantId: OptionalText('id of the variant, such as a size or colour'),
  sku: OptionalText('stock keeping unit'),
  brand: OptionalText('brand'),
  description: OptionalText('product description'),
  type: OptionalText('product type'),
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
  value: OptionalNumber('value of the event, in `currency`'),
  currency: OptionalText('ISO 4217 code: `EUR`'),
  contents: Type.Optional(Type.Array(EventItem, { description: 'the products' })),
  orderId: OptionalText('order number of the shop'),
  search: OptionalText('the words that a visitor searched for'),
  tax: OptionalNumber('tax in `value`'),
  shipping: OptionalNumber('shipping costs in `value`'),
  discount: OptionalNumber('total discount'),
  valueBeforeDiscount: OptionalFlag('true: `discount` is not subtracted from `value` yet'),
  discounts: Type.Optional(
    Type.Array(
      Type.Object({
        code: OptionalText('code of the voucher'),
        type: Type.Optional(Type.Enum(['FLAT', 'PERCENTAGE'])),
        value: OptionalNumber('amount or percentage'),
      }),
      { description: 'the vouchers: `{code, type, value}`, type `FLAT` or `PERCENTAGE`' },
    ),
  ),
  checkoutUrl: OptionalText('URL at which the checkout can be continued'),
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
  pageTitle: OptionalText('title of the page'),
  pageUrl: OptionalText('URL of the page'),
  referrer: OptionalText('URL of the page before'),
  search: OptionalText('query string of the page, beginning with `?`; click ids are read from it'),
  userAgent: OptionalText('user agent of the visitor, where the request is not the visitor’s own'),
  providers: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Array(Type.String())], {
      description: 'the channels of this event; absent means all',
    }),
  ),
  storage: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'consent, user keys and captured values' }),
  ),
  userEmail: OptionalText('e-mail of the user'),
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
  previewId: OptionalText('the preview of the call: the event is neither stored nor counted'),
  message: OptionalText('why an event of an array is `rejected`'),
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
