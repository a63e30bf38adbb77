import type { EventItem } from '#contract/event.ts'
import { remainingData } from '#provider/form/eventData.ts'
import { wholeQuantity } from '#provider/form/items.ts'
import { amountText, decimalsOf } from '#provider/form/money.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import type { RequestContext, RequestSpec, Skip } from '#provider/form/request.ts'
import type { RequestSteps } from '#provider/form/steps.ts'
import { truncate } from '#provider/form/text.ts'
import { isoTime } from '#provider/form/time.ts'
import { boundedProperties } from '#provider/vendors/boundedProperties.ts'
import { eventItem } from '#provider/vendors/eventProperties.ts'

/** The line of the contact's timeline: `Purchase A-1001, 59.98 EUR`. At most 160 characters. */
function summaryOf({ data, value }: RequestContext, type: string): string {
  const order = data.orderId === undefined ? type : `${type} ${data.orderId}`
  const { currency } = data
  const decimals = currency === undefined ? 2 : decimalsOf(currency)
  const amount = value === undefined ? '' : `, ${[amountText(value, decimals), currency].filter(Boolean).join(' ')}`
  return truncate(`${order}${amount}`, 160)
}

/** The data of an event, which Dotdigital keeps as it comes. */
function eventDataOf({ event, data, coupon, value }: RequestContext) {
  const own = {
    orderId: data.orderId,
    value,
    currency: data.currency,
    coupon,
    items: data.contents?.map(eventItem),
    search: data.search,
    pageUrl: event.pageUrl,
    pageTitle: event.pageTitle,
    referrer: event.referrer,
    checkoutUrl: data.checkoutUrl,
  }
  const properties = { ...own, ...remainingData(data, 'contents', 'discounts'), ...own }
  return boundedProperties(properties, { maxBytes: 60_000, cutsLists: true })
}

/** An event without its contact. */
export const eventOf = (context: RequestContext, type: string) => ({
  type,
  id: context.event.eventId,
  eventTimestamp: isoTime(context.event.timestamp),
  timelineDetails: { summary: summaryOf(context, type) },
  eventData: eventDataOf(context),
})

export const collectionCheck = (name: string): string | undefined =>
  /^[\w-]{1,255}$/.test(name) ? undefined : 'Write the name alone: letters, digits, _ and -.'

const productOf = (item: EventItem) => ({
  name: item.title ?? item.id,
  price: item.item_price,
  sku: item.sku ?? item.id,
  qty: wholeQuantity(item),
})

/** A record of the orders collection. Its fields stand on no page that could be read. */
export const orderRecord = ({ event, data, items, orderId, value }: RequestContext) => ({
  id: truncate(orderId, 255),
  order_total: value,
  currency: data.currency,
  purchase_date: isoTime(event.timestamp),
  products: items.map(productOf),
})

type Identity = { identifier: string; value: string | undefined }

/**
 * Finds the contact, then changes its data fields: https://developer.dotdigital.com/reference/patchcontact. That call
 * makes a contact of who is none and subscribes it to e-mail, so it is sent for the id of a contact that is there.
 */
export function contactUpdate(
  traits: object,
  { identifier, value = '' }: Identity,
  { api, headers }: { api: string; headers: Readonly<Record<string, string>> },
): RequestSteps | Skip {
  const dataFields = unlessEmpty(traits)
  if (!dataFields) return { skipped: 'filtered' }
  const contacts = `${api}/contacts/v3`
  return {
    next(results) {
      if (results.length === 0)
        return {
          url: `${contacts}/${identifier}/${encodeURIComponent(value)}`,
          headers,
          resultPath: 'contactId',
          responseRules: [
            { status: 404, path: 'errorCode', equalsAny: ['contacts:contactNotFound'], verdict: 'delivered' },
          ],
        }
      if (results.length > 1) return undefined
      const [id] = results
      if (id === undefined) return { skipped: 'identityMissing' }
      const url = `${contacts}/contactId/${encodeURIComponent(id)}`
      return { method: 'PATCH', url, query: { 'merge-option': 'overwrite' }, headers, json: { dataFields } }
    },
  }
}

/** Creates or updates a contact on a list: https://developer.dotdigital.com/reference/patchcontact */
export function subscriptionOf(
  email: string | undefined,
  list: string,
  { api, headers }: { api: string; headers: Readonly<Record<string, string>> },
): RequestSpec | undefined {
  if (!email) return undefined
  const channelProperties = { email: { status: 'subscribed', emailType: 'html', optInType: 'single' } }
  const url = `${api}/contacts/v3/email/${encodeURIComponent(email)}`
  return {
    method: 'PATCH',
    url,
    query: { 'merge-option': 'overwrite' },
    headers,
    json: { channelProperties, lists: [Number(list)] },
  }
}
