import type { EventItem } from '#contract/event.ts'
import { basicAuth } from '#provider/form/authorization.ts'
import { remainingData } from '#provider/form/eventData.ts'
import { wholeQuantity } from '#provider/form/items.ts'
import { amountText, decimalsOf } from '#provider/form/money.ts'
import { emailAddress, phoneE164 } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { region, regionHost } from '#provider/form/region.ts'
import type { RequestContext, RequestSpec, Skip } from '#provider/form/request.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import type { RequestSteps } from '#provider/form/steps.ts'
import { truncate } from '#provider/form/text.ts'
import { isoTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { identifier, optional, password, text } from '#provider/form/variables.ts'
import { boundedProperties } from '#provider/vendors/boundedProperties.ts'
import { eventItem } from '#provider/vendors/eventProperties.ts'
import { mappedTraits, traitMapping } from '#provider/vendors/personTraits.ts'
import { listVariable, withSubscription } from '#provider/vendors/subscription.ts'

const hosts = { r1: 'r1-api.dotdigital.com', r2: 'r2-api.dotdigital.com', r3: 'r3-api.dotdigital.com' }

const { check, choices, regionHosts } = region(hosts, '')

const { PageView: _, ...names } = standardEventNames

const collectionCheck = (name: string): string | undefined =>
  /^[\w-]{1,255}$/.test(name) ? undefined : 'Write the name alone: letters, digits, _ and -.'

export default provider({
  label: 'Dotdigital',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://developer.dotdigital.com/reference/importevents',
  dashboardUrl: 'https://login.dotdigital.com',
  links: {
    onboarding: 'https://developer.dotdigital.com/docs/authentication',
    introduction: 'https://developer.dotdigital.com/reference/putcontactinsightdatarecord',
    faq: 'https://developer.dotdigital.com/docs/call-rate-limits',
  },
  host: 'fixed',

  secrets: {
    DOTDIGITAL_API_USER: identifier('API user', 'Settings, Access, API users: its e-mail.', {
      placeholder: 'apiuser-0123456789ab@apiconnector.com',
    }),
    DOTDIGITAL_API_PASSWORD: password('API password', 'The password that was set for the API user.'),
    DOTDIGITAL_REGION: text(
      'Region',
      'The first part of the address of your account: r1 is Europe, r2 the US, r3 Asia.',
      { placeholder: 'r1', check, choices, regionHosts },
    ),
    DOTDIGITAL_ORDERS_COLLECTION: text(
      'Orders collection',
      'Contacts, Insight data: the name of the collection for orders. When it is set, Purchase is written there as well.',
      {
        ...optional,
        placeholder: 'Orders',
        check: collectionCheck,
      },
    ),
    DOTDIGITAL_LIST_ID: listVariable('List', 'Contacts, Lists: the number in the address.', '1234'),
    DOTDIGITAL_TRAITS: traitMapping('a data field of your contacts', ['tier', 'TIER'], { keys: 'custom' }),
  },

  events: names,
  customEventName: (eventName) => truncate(eventName, 80),
  user: {
    email: plain('email', emailAddress),
    mobileNumber: plain('phone', phoneE164),
    FIRSTNAME: plain('firstName'),
    LASTNAME: plain('lastName'),
    POSTCODE: plain('zip'),
  },
  personId: 'none',
  // An order with only an e-mail: an import finds the contact with this e-mail. The shop's own id identifies no
  // contact.
  requires: ['email', 'mobileNumber'],
  acceptsUserEvents: true,
  matchKeys: {
    strong: ['email', 'mobileNumber'],
  },
  dedup: '[].id, the eventId; an order is replaced by its id',

  request(context, secrets, type) {
    const { event, orderId, user } = context
    const { email, mobileNumber, ...fields } = user
    const {
      DOTDIGITAL_API_USER: name,
      DOTDIGITAL_API_PASSWORD: secret,
      DOTDIGITAL_ORDERS_COLLECTION: collection,
    } = secrets
    const api = `https://${regionHost(hosts, secrets.DOTDIGITAL_REGION)}`
    const headers = { authorization: basicAuth(name, secret) }
    const contactIdentity = email
      ? { identifier: 'email', value: email }
      : { identifier: 'mobileNumber', value: mobileNumber }
    const traits = () => ({ ...fields, ...mappedTraits(context, secrets.DOTDIGITAL_TRAITS) })
    if (context.kind === 'user') return contactUpdate(traits(), contactIdentity, { api, headers })
    const request = { url: `${api}/events/v3/import`, headers, json: [{ contactIdentity, ...eventOf(context, type) }] }
    const add = (list: string) => subscriptionOf(email, list, { api, headers })
    if (event.eventName !== 'Purchase' || !collection || !email)
      return withSubscription(context, secrets.DOTDIGITAL_LIST_ID, add, request)
    const record = [email, collection, truncate(orderId, 255)].map(encodeURIComponent).join('/')
    const json = orderRecord(context)
    return [request, { method: 'PUT', url: `${api}/insightData/v3/contacts/email/${record}`, headers, json }]
  },
  batch: {
    maxEvents: 5_000,
    joinKey: ({ url }) => (url.endsWith('/import') ? url : undefined),
    join: (requests) => ({ ...requests[0]!, json: requests.flatMap(({ json }) => json as object[]) }),
  },

  // Accounts with an hourly allowance get a 400 when it is used up.
  responseRules: [{ status: 400, matches: /APIUSAGE_EXCEEDED/i, verdict: 'throttled' }],
})

/** The line in the contact's timeline: `Purchase A-1001, 59.98 EUR`. At most 160 characters. */
function summaryOf({ data, value }: RequestContext, type: string): string {
  const order = data.orderId === undefined ? type : `${type} ${data.orderId}`
  const { currency } = data
  const decimals = currency === undefined ? 2 : decimalsOf(currency)
  const amount = value === undefined ? '' : `, ${[amountText(value, decimals), currency].filter(Boolean).join(' ')}`
  return truncate(`${order}${amount}`, 160)
}

/** The data of an event. Dotdigital stores it unchanged. */
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
const eventOf = (context: RequestContext, type: string) => ({
  type,
  id: context.event.eventId,
  eventTimestamp: isoTime(context.event.timestamp),
  timelineDetails: { summary: summaryOf(context, type) },
  eventData: eventDataOf(context),
})

const productOf = (item: EventItem) => ({
  name: item.title ?? item.id,
  price: item.item_price,
  sku: item.sku ?? item.id,
  qty: wholeQuantity(item),
})

/** A record of the orders collection. The vendor publishes no documentation of its fields. */
const orderRecord = ({ event, data, items, orderId, value }: RequestContext) => ({
  id: truncate(orderId, 255),
  order_total: value,
  currency: data.currency,
  purchase_date: isoTime(event.timestamp),
  products: items.map(productOf),
})

type Identity = { identifier: string; value: string | undefined }

/**
 * Finds the contact, then changes its data fields: https://developer.dotdigital.com/reference/patchcontact. The second
 * call would create a missing contact and subscribe it to e-mail, so it is only sent for an existing contact's id.
 */
function contactUpdate(
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
function subscriptionOf(
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
