import { itemsWithId, wholeQuantity } from '#provider/form/items.ts'
import { withoutDust } from '#provider/form/money.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import type { RequestContext, RequestSpec } from '#provider/form/request.ts'
import { truncate } from '#provider/form/text.ts'
import { localTime } from '#provider/form/time.ts'
import type { FlatValue } from '#provider/vendors/eventFields.ts'
import { flatProperties } from '#provider/vendors/eventProperties.ts'

/** An order of the Data API. https://api.listrak.com/data: times are in US Eastern time. */
export function orderOf(
  { event, data, items, orderId, coupon, value }: RequestContext,
  email: string,
  customer?: string,
) {
  const orderNumber = truncate(orderId, 50)
  const lines = itemsWithId(items).map((item) => ({
    orderNumber,
    sku: truncate(item.sku ?? item.id, 100),
    price: item.item_price,
    quantity: wholeQuantity(item),
    itemTotal: item.item_price === undefined ? undefined : withoutDust(item.item_price * wholeQuantity(item)),
  }))
  return {
    orderNumber,
    email,
    customerNumber: customer,
    dateEntered: localTime(event.timestamp, 'America/New_York'),
    status: 'Completed',
    itemTotal: lines.length > 0 ? withoutDust(lines.reduce((sum, { itemTotal = 0 }) => sum + itemTotal, 0)) : undefined,
    orderTotal: value,
    shippingTotal: data.shipping,
    taxTotal: data.tax,
    couponCode: truncate(coupon, 32),
    items: lines.length > 0 ? lines : undefined,
  }
}

/**
 * A customer of the Data API (https://api.listrak.com/data); undefined where nothing but the ids is known. It is on no
 * list.
 */
export function customerOf(
  { email, customerNumber, phone: mobilePhone, ...fields }: Readonly<Record<string, string | undefined>>,
  traits: Readonly<Record<string, FlatValue>> | undefined,
) {
  const meta = Object.entries(traits ?? {}).map(([name, value]) => [name, truncate(String(value), 250)])
  const known = unlessEmpty({ mobilePhone, ...fields, ...Object.fromEntries(meta) })
  return known && { email, customerNumber, ...known }
}

/** An event of the Cross Channel API. Fields that its configuration does not declare are thrown away. */
export function eventOf(context: RequestContext<{ email: never; phone: never }>) {
  const { email, phone } = context.user
  const identifiers = [
    ...(email ? [{ identifierType: 'EmailAddress', identifierValue: email }] : []),
    ...(phone ? [{ identifierType: 'PhoneNumber', identifierValue: phone.slice(1) }] : []),
  ]
  const fields = Object.entries(flatProperties(context)).map(([name, value]) => [name, String(value)])
  return { identifiers, dataFields: Object.fromEntries(fields) }
}

type EventsBody = { events: readonly object[] }

/** Orders are one list; events are a list below `events`. */
export function joinBodies(requests: readonly RequestSpec[]): RequestSpec {
  const [first] = requests
  const bodies = requests.map(({ json }) => json)
  return Array.isArray(first!.json)
    ? { ...first!, json: bodies.flat() }
    : { ...first!, json: { events: bodies.flatMap((body) => (body as EventsBody).events) } }
}

type EventsResponse = { data?: unknown }
type Recipient = { statusCode?: number; errors?: unknown }

/** The recipients of events are in the order in which they were sent. */
export function failedRows({ data }: EventsResponse) {
  const recipients: readonly Recipient[] = Array.isArray(data) ? data : []
  return recipients.flatMap(({ statusCode = 200, errors }, row) =>
    statusCode < 400
      ? []
      : [
          {
            row,
            verdict: statusCode < 500 ? ('refused' as const) : ('retry' as const),
            message: JSON.stringify(errors),
          },
        ],
  )
}

type CrossChannelSecrets = { LISTRAK_CC_CLIENT_ID?: string; LISTRAK_CC_CLIENT_SECRET?: string }

/**
 * The two integrations have credentials of their own, and a script signs in to one: to Cross Channel where these are
 * set.
 */
export const crossChannel = ({
  LISTRAK_CC_CLIENT_ID: client_id,
  LISTRAK_CC_CLIENT_SECRET: client_secret,
}: CrossChannelSecrets) => (client_id && client_secret ? { client_id, client_secret } : undefined)
