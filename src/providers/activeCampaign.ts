import { itemsWithId, wholeQuantity } from '#provider/form/items.ts'
import { minorUnits } from '#provider/form/money.ts'
import { emailAddress, phoneE164 } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestContext } from '#provider/form/request.ts'
import type { ResponseRule } from '#provider/form/responseRule.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import type { RequestSteps, StepSpec } from '#provider/form/steps.ts'
import { truncate } from '#provider/form/text.ts'
import { isoTime } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { digitsCheck } from '#provider/form/valueChecks.ts'
import { baseUrl, identifier, optional, password, text, urlCheck } from '#provider/form/variables.ts'
import { boundedProperties } from '#provider/vendors/boundedProperties.ts'
import { flatProperties } from '#provider/vendors/eventProperties.ts'
import { isSubscription, listVariable } from '#provider/vendors/subscription.ts'

const maxName = 32

const { PageView: _, ...names } = standardEventNames

/** For events, a 200 is a success only if the body says so. The other calls respond with the created or found object. */
const responseRules: readonly ResponseRule[] = [
  { status: 200, path: 'success', equalsAny: [1, '1', true], verdict: 'delivered' },
  ...['ecomCustomers', 'ecomCustomer', 'ecomOrder', 'contact', 'contactList'].map(
    (path) => ({ status: 200, path, verdict: 'delivered' }) as const,
  ),
  { status: 200, verdict: 'refused' },
]

export default provider({
  label: 'ActiveCampaign',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://developers.activecampaign.com/reference/track-event',
  dashboardUrl: 'https://www.activecampaign.com/login',
  links: {
    onboarding: 'https://help.activecampaign.com/hc/en-us/articles/221870128',
    introduction: 'https://developers.activecampaign.com/reference/contact-event-tracking-api-guide',
    faq: 'https://developers.activecampaign.com/reference/create-order',
  },
  host: 'tenant',

  secrets: {
    ACTIVE_CAMPAIGN_ACCOUNT_ID: identifier('Account ID', 'Website, Site Tracking, Event Tracking API: actid.', {
      placeholder: '66001234',
      check: (id: string) => (/^[\w-]{1,32}$/.test(id) ? undefined : 'Write the number that stands after actid.'),
    }),
    ACTIVE_CAMPAIGN_EVENT_KEY: password(
      'Event key',
      'Website, Site Tracking, Event Tracking: switch it on and copy the event key. Each event has to be added there by its name.',
    ),
    ACTIVE_CAMPAIGN_API_URL: text('API URL', 'Settings, Developer. Only for orders and profiles.', {
      ...optional,
      placeholder: 'https://account.api-us1.com',
      check: urlCheck,
    }),
    ACTIVE_CAMPAIGN_API_KEY: password('API key', 'Settings, Developer. Only for orders and profiles.', optional),
    ACTIVE_CAMPAIGN_CONNECTION_ID: identifier(
      'Connection ID',
      'The number of a deep data connection. With it and the API key, Purchase is an order as well.',
      { ...optional, check: digitsCheck },
    ),
    ACTIVE_CAMPAIGN_LIST_ID: listVariable('List', 'Contacts, Lists: its number. It needs the API key.', '2'),
  },

  events: names,
  customEventName: (eventName) => truncate(eventName, maxName),
  user: {
    email: plain('email', emailAddress),
    userId: plain('customerId'),
    phone: plain('phone', phoneE164),
    firstName: plain('firstName'),
    lastName: plain('lastName'),
  },
  personId: 'customerId',
  // An order with only an e-mail: the e-mail is the contact's key and finds the customer of the connection.
  requires: ['email'],
  acceptsUserEvents: true,
  matchKeys: {
    strong: ['email', 'userId', 'phone'],
  },
  dedup: 'none for events; an order is made once for its number and connection',

  request(context, secrets, name) {
    const { event, data, user } = context
    const email = user.email!
    const { ACTIVE_CAMPAIGN_API_URL: url, ACTIVE_CAMPAIGN_API_KEY: key } = secrets
    const connectionid = secrets.ACTIVE_CAMPAIGN_CONNECTION_ID
    if (context.kind === 'user')
      return url && key ? profileUpdate({ url: baseUrl(url), key }, user) : { skipped: 'filtered' }
    const step: StepSpec = {
      url: 'https://trackcmp.net/event',
      form: {
        actid: secrets.ACTIVE_CAMPAIGN_ACCOUNT_ID,
        key: secrets.ACTIVE_CAMPAIGN_EVENT_KEY,
        event: name,
        eventdata: eventDataOf(context),
        visit: JSON.stringify({ email }),
      },
    }
    const order = event.eventName === 'Purchase' && data.orderId !== undefined ? orderOf(context) : undefined
    const { ACTIVE_CAMPAIGN_LIST_ID: list } = secrets
    if (isSubscription(context) && list && url && key) return listSteps(step, { url: baseUrl(url), key }, email, list)
    if (!order || !url || !key || !connectionid) return step
    return orderSteps(
      step,
      { url: baseUrl(url), key },
      { connectionid, externalid: user.userId ?? email, email },
      order,
    )
  },

  responseRules,
})

const maxBytes = 1_000

/** The text of an ActiveCampaign event, which has only one text field. */
const eventDataOf = (context: RequestContext): string =>
  JSON.stringify(boundedProperties(flatProperties(context), { maxBytes }))

/** In hundredths for every currency, as ActiveCampaign's own shop plug-ins send them. */
const cents = (amount: number) => minorUnits(amount)

/**
 * An order. Undefined without a total; totals below 0 are not allowed.
 * https://developers.activecampaign.com/reference/create-order
 */
function orderOf({ event, data, items, orderId, value }: RequestContext): object | undefined {
  if (value === undefined || value < 0) return undefined
  const priced = itemsWithId(items).filter(({ item_price = 0 }) => item_price >= 0)
  return {
    externalid: orderId,
    // 1: a new order, which starts automations; 0: a historical order
    source: '1',
    orderNumber: orderId,
    orderProducts: priced.map((item) => ({
      externalid: item.id,
      name: item.title ?? item.id,
      price: cents(item.item_price ?? 0),
      quantity: wholeQuantity(item),
      category: item.category,
      sku: item.sku,
      imageUrl: item.image,
      productUrl: item.url,
    })),
    totalPrice: cents(value),
    currency: data.currency,
    externalCreatedDate: isoTime(event.timestamp),
  }
}

type Api = { url: string; key: string }

type Profile = Readonly<Partial<Record<'email' | 'phone' | 'firstName' | 'lastName', string>>>

const request = ({ url, key }: Api, path: string): StepSpec => ({
  url: `${url}/api/3/${path}`,
  headers: { 'api-token': key },
})

/**
 * Creates or updates a contact without adding it to a list.
 * https://developers.activecampaign.com/reference/sync-a-contacts-data
 */
const profileUpdate = (api: Api, { email, phone, firstName, lastName }: Profile): StepSpec => ({
  ...request(api, 'contact/sync'),
  json: { contact: { email, phone, firstName, lastName } },
})

type Customer = { connectionid: string; externalid: string; email: string }

/** The event, then its order: for the customer of the connection with this e-mail, who is created if missing. */
function orderSteps(eventRequest: StepSpec, access: Api, customer: Customer, order: object): RequestSteps {
  const { email, connectionid } = customer
  const filters = `filters[email]=${encodeURIComponent(email)}&filters[connectionid]=${connectionid}`
  const find: StepSpec = {
    ...request(access, `ecomCustomers?${filters}`),
    resultPath: 'ecomCustomers.0.id',
  }
  // A purchase is no consent to marketing.
  const ecomCustomer = { ...customer, acceptsMarketing: '0' }
  const make: StepSpec = { ...request(access, 'ecomCustomers'), json: { ecomCustomer }, resultPath: 'ecomCustomer.id' }
  const send = (customerid: string): StepSpec => ({
    ...request(access, 'ecomOrders'),
    json: { ecomOrder: { ...order, email, connectionid, customerid } },
    // It was created before, but the response was lost.
    responseRules: [{ status: 422, path: 'errors.0.code', equalsAny: ['duplicate'], verdict: 'delivered' }],
  })
  return {
    next(results) {
      const [, found, made] = results
      const before = found ? [eventRequest, find] : [eventRequest, find, make]
      if (results.length < before.length) return before[results.length]
      const customerid = found ?? made
      if (!customerid) return { skipped: 'payloadRefused' }
      return results.length === before.length ? send(customerid) : undefined
    },
  }
}

/**
 * Creates the contact, adds it to the list, then sends the event:
 * https://developers.activecampaign.com/reference/update-list-status-for-contact
 */
const listSteps = (sendEvent: StepSpec, api: Api, email: string, list: string): RequestSteps => ({
  next(results) {
    const [contact] = results
    if (results.length === 0) return { ...profileUpdate(api, { email }), resultPath: 'contact.id' }
    if (results.length > 2) return undefined
    if (contact === undefined || results.length === 2)
      return results.length === 2 ? sendEvent : { skipped: 'payloadRefused' }
    return { ...request(api, 'contactLists'), json: { contactList: { list, contact, status: 1 } } }
  },
})
