import type { EventItem } from '#contract/event.ts'
import type { PartialFailure } from '#provider/form/batch.ts'
import { itemsWithId, wholeQuantity } from '#provider/form/items.ts'
import { emailAddress, phoneE164 } from '#provider/form/normalise.ts'
import { asList, unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { region, regionHost } from '#provider/form/region.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { noSpaces } from '#provider/form/valueChecks.ts'
import { checkbox, optional, password } from '#provider/form/variables.ts'
import { boundedProperties, snakeCaseProperties } from '#provider/vendors/boundedProperties.ts'
import { listVariable, withSubscription } from '#provider/vendors/subscription.ts'

const hosts = { us: 'api.iterable.com', eu: 'api.eu.iterable.com' }

export default provider({
  label: 'Iterable',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://api.iterable.com/api/docs#events_track',
  dashboardUrl: 'https://app.iterable.com/settings/apiKeys',
  links: {
    onboarding: 'https://support.iterable.com/hc/en-us/articles/360043464871',
    introduction: 'https://support.iterable.com/hc/en-us/articles/204780579',
  },
  host: 'fixed',

  secrets: {
    ITERABLE_API_KEY: password('API key', 'Integrations, API keys: a server-side key without JWT.', {
      check: noSpaces,
    }),
    ITERABLE_DATA_CENTER: region(hosts, 'eu where the address of your dashboard begins with app.eu.'),
    ITERABLE_LIST_ID: listVariable('List', 'Audience, Lists: the number of a static list.', '12345'),
    ITERABLE_UPDATE_CART: checkbox(
      'Carts',
      'AddToCart and RemoveFromCart replace the cart of the user: their contents must be the whole cart.',
      optional,
    ),
  },

  events: { ...standardEventNames, Purchase: 'commerce/trackPurchase' },
  customEventName: (eventName) => eventName,
  user: {
    email: plain('email', emailAddress),
    userId: plain('customerId'),
    phoneNumber: plain('phone', phoneE164),
    firstName: plain('firstName'),
    lastName: plain('lastName'),
  },
  personId: 'customerId',
  // An order with only an e-mail: Iterable finds the user with this e-mail, including one with a userId.
  requires: ['email', 'userId'],
  acceptsUserEvents: true,
  matchKeys: {
    strong: ['email', 'userId', 'phoneNumber'],
  },
  dedup: 'id: a second event or purchase with it overwrites the first',

  // List membership (POST /api/lists/subscribe) and subscription preferences are never sent.
  request(context, secrets, eventName) {
    const { kind, event, data, items, orderId, value, now } = context
    const { email, userId, ...fields } = context.user
    const url = (path: string) => `https://${regionHost(hosts, secrets.ITERABLE_DATA_CENTER)}/api/${path}`
    const headers = { 'api-key': secrets.ITERABLE_API_KEY }
    const user = { email, userId, dataFields: unlessEmpty(fields), mergeNestedObjects: true }
    // Iterable rejects a time in the future.
    const createdAt = epochSeconds(Math.min(event.timestamp, now))
    if (kind === 'user')
      return user.dataFields ? { url: url('users/update'), headers, json: user } : { skipped: 'filtered' }
    if (event.eventName === 'Purchase') {
      const json = {
        id: orderId,
        user,
        items: itemsOf(items),
        total: value,
        createdAt,
        dataFields: purchaseFields(context),
      }
      return { url: url('commerce/trackPurchase'), headers, json }
    }
    const isCart = event.eventName === 'AddToCart' || event.eventName === 'RemoveFromCart'
    if (isCart && secrets.ITERABLE_UPDATE_CART === '1' && data.contents)
      return { url: url('commerce/updateCart'), headers, json: { user, items: itemsOf(items) } }
    const dataFields = trackedFields(context)
    const eventRequest = {
      url: url('events/track'),
      headers,
      json: { email, userId, id: event.eventId, eventName, createdAt, dataFields },
    }
    const add = (list: string) => ({ url: url('lists/subscribe'), headers, json: listedOf(list, { email, userId }) })
    return withSubscription(context, secrets.ITERABLE_LIST_ID, add, eventRequest)
  },
  batch: {
    maxEvents: 1_000,
    maxBytes: 4_000_000,
    joinKey: ({ url }) => (url.endsWith('/events/track') ? url : undefined),
    join: (requests) => ({
      ...requests[0]!,
      url: requests[0]!.url.replace(/track$/, 'trackBulk'),
      json: { events: requests.map(({ json }) => json) },
    }),
    partialFailures: failedEvents,
  },

  responseRules: [{ status: 200, path: 'code', matches: /^(?!Success$)/, verdict: 'refused' }],
})

/** Id, name, price and quantity are required. */
const itemOf = ({ id, title, item_price: price = 0, quantity = 1, ...item }: EventItem) => ({
  id,
  sku: item.sku,
  name: title ?? id,
  price,
  quantity: wholeQuantity({ quantity }),
  categories: asList(item.category),
  url: item.url,
  imageUrl: item.image,
  dataFields: unlessEmpty({ variantId: item.variantId, brand: item.brand }),
})

const itemsOf = (items: readonly EventItem[]) => itemsWithId(items).map(itemOf)

/** The data fields of a tracked event. */
function trackedFields(context: RequestContext): object {
  const items = itemsOf(context.items)
  return { ...boundedProperties(snakeCaseProperties(context), {}), items: items.length > 0 ? items : undefined }
}

/** The data fields of a purchase, which has its own fields for the order id, the total and the items. */
function purchaseFields(context: RequestContext): object {
  const { order_id: _, value: __, ...fields } = boundedProperties(snakeCaseProperties(context), {})
  return { ...fields, eventId: context.event.eventId }
}

type TrackedEvent = { email?: string; userId?: string; eventName: string }

type Lists = Readonly<Record<string, unknown>>

const members = (lists: Lists | undefined, ending: RegExp): Set<unknown> =>
  new Set(Object.entries(lists ?? {}).flatMap(([name, list]) => (ending.test(name) && Array.isArray(list) ? list : [])))

/**
 * The events of people whom Iterable rejects, and events with names that the customer blocked there. The lists are from
 * public implementations.
 */
function failedEvents(answer: Lists & { failedUpdates?: Lists }, sent: { events?: TrackedEvent[] }) {
  const refused = (ending: RegExp) => members(answer, ending).union(members(answer.failedUpdates, ending))
  const emails = refused(/Emails$/)
  const userIds = refused(/UserIds$/)
  const names = members(answer, /^disallowedEventNames$/)
  return (sent.events ?? []).flatMap(({ email, userId, eventName }, row): PartialFailure[] => {
    if (names.has(eventName)) return [{ row, verdict: 'refused', message: 'The name of the event is blocked.' }]
    const isRefused = (email !== undefined && emails.has(email)) || (userId !== undefined && userIds.has(userId))
    return isRefused ? [{ row, verdict: 'refused', message: 'The e-mail address or the user id is not accepted.' }] : []
  })
}

/** Adds a person to a list: https://api.iterable.com/api/docs#lists_subscribe */
const listedOf = (list: string, subscriber: { email?: string | undefined; userId?: string | undefined }) => ({
  listId: Number(list),
  subscribers: [subscriber],
})
