import { reasons, statuses } from './deliveryStatus.ts'
import { type Static, Type } from './schema.ts'

const Text = Type.Optional(Type.String())
const Amount = Type.Optional(Type.Number())

export const EventItem = Type.Object({
  id: Text,
  quantity: Amount,
  item_price: Amount,
  title: Text,
  category: Text,
  image: Text,
  url: Text,
  variantId: Text,
  sku: Text,
  brand: Text,
  description: Text,
  type: Text,
})
export type EventItem = Static<typeof EventItem>

/** The channels of an event: `{all: true, facebook: false, klaviyo: {scriptName: true}}`, or a list of provider ids. */
export type ProviderSelection = string[] | Record<string, boolean | Record<string, boolean>>

/** A consent map: keys are `all`, provider ids or categories; the value of a provider may be a map of script names. */
export type ConsentMap = Record<string, boolean | Record<string, boolean>>

/**
 * The fields that an event must have to be accepted. Any other invalid field is stored unchanged and reported by the
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

/** Event data as documented. A sender may send other types. */
export const EventData = Type.Object({
  value: Amount,
  currency: Text,
  contents: Type.Optional(Type.Array(EventItem)),
  orderId: Text,
  search: Text,
  tax: Amount,
  shipping: Amount,
  discount: Amount,
  valueBeforeDiscount: Type.Optional(Type.Boolean()),
  discounts: Type.Optional(
    Type.Array(Type.Object({ code: Text, type: Type.Optional(Type.Enum(['FLAT', 'PERCENTAGE'])), value: Amount })),
  ),
  checkoutUrl: Text,
})
export type EventData = Static<typeof EventData> & Record<string, unknown>

/** The Event payload of the interface. */
export const EventPayload = Type.Object({
  eventName: Type.String(),
  eventId: Type.String(),
  timestamp: Type.Number({ description: 'epoch time in milliseconds' }),
  data: Type.Optional(EventData),
  pageTitle: Text,
  pageUrl: Text,
  referrer: Text,
  search: Text,
  userAgent: Text,
  providers: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Array(Type.String())])),
  storage: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  userEmail: Text,
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
  message: Text,
  warnings: Type.Optional(Type.Array(Type.String())),
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
